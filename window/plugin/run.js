// What stands around a plugin: the context it gets, and what becomes of what it
// returns. The program is asked through one function alone, with texts.
(() => {
  "use strict";
  const ask = globalThis.orihon;
  delete globalThis.orihon;
  const {parse, stringify} = JSON;
  const question = (what, ...args) => parse(ask(what, stringify(args)));
  const fail = error => ask("failed", stringify([String(error), String(error && error.stack || ""), error && error.fileName || "", error && error.lineNumber || 0]));

  const module = {exports: {}};
  globalThis.module = module;
  globalThis.exports = module.exports;
  globalThis.require = name => { throw new Error("modules cannot be loaded: " + name); };

  // A builder is a class or a function, the default export or the first one.
  const builder = (exported, options) => {
    let built = exported.default !== undefined ? exported.default : exported;
    if (typeof built === "object" && built !== null && typeof built.buildContext !== "function") {
      built = Object.values(built).find(v => typeof v === "function") || built;
    }
    if (typeof built === "function") {
      built = built.prototype && typeof built.prototype.buildContext === "function" ? new built(options) : {buildContext: built};
    }
    if (!built || typeof built.buildContext !== "function") throw new Error("it exports no class or function with buildContext(ctx)");
    return built;
  };

  (async () => {
    const names = await import(question("name"));
    const ctx = question("context");
    ctx.tokens = text => question("tokens", String(text));
    ctx.journal = {
      iterations: (start, end) => question("iterations", Math.trunc(start) || 0, Math.trunc(end) || 0),
      events: (...types) => question("events", ...types.map(String)),
      search: query => question("search", String(query)),
    };
    const exported = Object.keys(names).length ? names : module.exports;
    const result = await builder(exported, ctx.options).buildContext(ctx);
    const text = stringify(Array.isArray(result) ? {messages: result} : result);
    ask("built", text === undefined ? "null" : text);
  })().catch(fail);
})();
