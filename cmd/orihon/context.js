'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const $ = id => document.getElementById(id);
  const el = (tag, cls, text) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const number = n => n.toLocaleString('en');
  const line = (s, n) => {
    s = (s || '').split(/\s+/).join(' ').trim();
    return s.length > n ? s.slice(0, n - 1) + '…' : s;
  };
  const moments = data.moments || [], blocks = data.blocks || [], zones = data.zones || [], said = data.said || [];
  const inspection = data.inspection;

  const several = (n, one) => `${number(n)} ${one}${n === 1 ? '' : 's'}`;
  const share = (n, of) => of ? `${Math.round(100 * n / of)} %` : '0 %';
  const clock = at => at ? at.slice(11, 16) : '';
  const day = at => at ? at.slice(0, 10) : '';

  const task = line(data.task, 300) || data.name;
  $('task').textContent = task;
  $('name').textContent = task === data.name ? 'A run' : 'Run ' + data.name;
  document.title = line(task, 60) + ' · context';

  // The run in a few figures.
  const errors = moments.reduce((n, m) => n + (m.errors || 0), 0), failing = moments.filter(m => m.errors).length;
  const asked = moments.filter(m => m.prompt).length, folded = moments.filter(m => m.fold).length;
  const first = moments.length ? moments[0].at : '', last = moments.length ? moments[moments.length - 1].at : '';
  const fact = (name, value, more, bad) => {
    const box = el('div', bad ? 'bad' : ''), dd = el('dd', '', value);
    if (more) dd.append(el('small', '', more));
    box.append(el('dt', '', name), dd);
    $('facts').append(box);
  };
  fact('The model sees', share(inspection.tokens, inspection.whole) + ' of the run', `${number(inspection.tokens)} of ${number(inspection.whole)} tokens`);
  fact('Run', several(inspection.iterations, 'iteration'), several(asked, 'request') + ' of yours');
  fact('Folded', several(folded, 'iteration'), `in ${several(blocks.filter(b => b.top && !b.open && b.level !== 1).length, 'fold')} that open again`);
  fact('Errors', number(errors), errors ? `in ${several(failing, 'iteration')}` : 'none', errors > 0);
  if (first) fact('Time', day(first) === day(last) ? `${clock(first)}–${clock(last)}` : `${day(first)} – ${day(last)}`, day(first) === day(last) ? day(first) + ' UTC' : 'UTC');
  $('line').textContent = `${inspection.strategy}: ${several(inspection.messages, 'message')} fill ${share(inspection.tokens, inspection.limit)} of a window of ${number(inspection.limit)} tokens.`;

  // The window by its zones.
  const about = {
    'static': 'system prompt and task', 'working': 'the newest turns, in full', 'short-term': 'dialogue in full, output left out',
    'long-term': 'folds: a title and what came of it', 'retrieved': 'folds that were opened again', 'dynamic': 'where things stand',
  };
  const parts = [];
  const zoneRow = (name, tokens, room, text) => {
    const li = el('li');
    li.append(el('i', 'key ' + name), el('span', '', name), el('span', 'num', room === undefined ? number(tokens) : `${number(tokens)} of ${number(room)}`), el('small', '', text));
    $('zones').append(li);
  };
  const slice = (name, tokens) => {
    const s = el('span', name);
    s.style.flexGrow = tokens;
    s.title = `${name}: ${number(tokens)} tokens`;
    $('window').append(s);
    parts.push(s.title);
  };
  for (const z of inspection.zones || []) {
    if (z.tokens) slice(z.name, z.tokens);
    zoneRow(z.name, z.tokens, z.room || 0, about[z.name] || '');
  }
  const free = Math.max(0, inspection.limit - inspection.tokens);
  slice('free', free);
  zoneRow('free', free, undefined, 'grey: room that nothing takes yet');
  $('window').setAttribute('aria-label', parts.join(', '));

  // The run: folds with their iterations in them, built when they are opened.
  const indexOf = new Map(moments.map((m, i) => [m.iteration, i]));
  const live = blocks.filter(b => !b.open && b.level !== 1);
  const byID = new Map(live.map(b => [b.id, b]));
  const opened = new Map(); // index of a moment → its element, once built
  let words = '';

  const mark = (node, text) => {
    if (!words) { node.textContent = text; return; }
    const low = text.toLowerCase();
    if (low.length !== text.length) { node.textContent = text; return; }
    let from = 0;
    for (let at = low.indexOf(words); at >= 0; at = low.indexOf(words, from)) {
      node.append(text.slice(from, at), el('mark', '', text.slice(at, at + words.length)));
      from = at + words.length;
    }
    node.append(text.slice(from));
  };
  const fillLater = (d, fill) => {
    let done = false;
    const now = () => { if (!done) { done = true; fill(d); } };
    d.addEventListener('toggle', () => { if (d.open) now(); });
    d.fillNow = now;
    d.reset = () => { if (!done) return; while (d.childNodes.length > 1) d.lastChild.remove(); done = false; if (d.open) now(); };
    return d;
  };
  const iteration = i => {
    const m = moments[i], zone = zones[i];
    const d = el('details', 'it ' + (m.prompt ? 'asked ' : '') + (zone === 'short-term' ? 'short' : zone === 'working' ? 'full' : ''));
    const s = el('summary');
    s.append(el('b', '', String(m.iteration)), line(m.said, 110) || (m.tools || []).join(', ') || 'nothing said', el('span', 'tag', number(m.tokens) + ' tokens'));
    if (m.tools && m.said) s.append(el('span', 'tag', line(m.tools.join(', '), 40)));
    if (m.errors) s.append(el('span', 'tag bad', m.errors + (m.errors > 1 ? ' errors' : ' error')));
    if (m.bookmark) s.append(el('span', 'tag', '★ ' + line(m.bookmark, 40)));
    d.append(s);
    opened.set(i, d);
    return fillLater(d, () => {
      for (const x of said[i] || []) {
        const box = el('div', 'say ' + x.who), pre = el('pre');
        box.append(el('h4', '', x.who));
        mark(pre, x.text);
        if (pre.textContent.length > 2000) pre.tabIndex = 0;
        box.append(pre);
        if (x.bytes) box.append(el('p', 'hint', `cut here; ${number(x.bytes)} bytes: orihon context expand ${m.iteration}`));
        d.append(box);
      }
    });
  };
  const fold = b => {
    const d = el('details', 'fold');
    const s = el('summary');
    s.append(el('b', '', 'F' + b.number), line(b.summary && b.summary.title, 320),
      el('span', 'tag', `iterations ${b.iteration_range[0]}–${b.iteration_range[1]}, ${number(b.tokens)} tokens`));
    const within = moments.filter(m => b.iteration_range[0] <= m.iteration && m.iteration <= b.iteration_range[1]);
    const requests = within.filter(m => m.prompt).length, failed = within.reduce((n, m) => n + (m.errors || 0), 0), inner = (b.children || []).length;
    if (requests) s.append(el('span', 'tag', several(requests, 'request')));
    if (inner) s.append(el('span', 'tag', several(inner, 'fold') + ' inside'));
    if (failed) s.append(el('span', 'tag bad', several(failed, 'error')));
    d.append(s);
    return fillLater(d, () => {
      const dl = el('dl', 'about');
      const row = (name, list) => {
        const text = (list || []).filter(Boolean).join('\n');
        if (!text) return;
        const dd = el('dd');
        mark(dd, text);
        dl.append(el('dt', '', name), dd);
      };
      const sum = b.summary || {};
      row('summary', [sum.content]);
      row('outcome', [sum.outcome]);
      row('asked', b.instructions);
      row('changed', b.state_changes);
      row('errors', b.errors);
      row('decided', b.decisions);
      row('names', [(b.entities || []).join(', ')]);
      d.append(dl);
      range(d, b.iteration_range[0], b.iteration_range[1], (b.children || []).map(id => byID.get(id)).filter(Boolean));
    });
  };
  const range = (into, from, to, folds) => {
    const inside = folds.slice().sort((a, b) => a.iteration_range[0] - b.iteration_range[0]);
    for (let i = 0; i < moments.length; i++) {
      const n = moments[i].iteration;
      if (n < from || n > to) continue;
      const b = inside.find(b => b.iteration_range[0] <= n && n <= b.iteration_range[1]);
      if (!b) { into.append(iteration(i)); continue; }
      into.append(fold(b));
      while (i + 1 < moments.length && moments[i + 1].iteration <= b.iteration_range[1]) i++;
    }
  };
  const tops = live.filter(b => b.top);
  if (moments.length) range($('run'), moments[0].iteration, moments[moments.length - 1].iteration, tops);

  // Opens the folds around an iteration and the iteration itself.
  const show = i => {
    const n = moments[i].iteration;
    for (let again = true; again;) {
      again = false;
      for (const d of document.querySelectorAll('#run details.fold:not([open])')) {
        const m = d.firstChild.querySelector('.tag').textContent.match(/(\d+)–(\d+)/);
        if (m && +m[1] <= n && n <= +m[2]) { d.open = true; d.fillNow(); again = true; }
      }
    }
    const d = opened.get(i);
    if (!d) return;
    d.open = true;
    d.fillNow();
    d.firstChild.focus({ preventScroll: true });
    d.scrollIntoView({ block: 'center' });
  };

  // Timeline.
  const columns = `repeat(${Math.max(1, moments.length)}, minmax(0, 1fr))`;
  for (const lane of ['epochs', 'bars', 'errors', 'folds', 'axis']) $(lane).style.gridTemplateColumns = columns;
  $('inner').style.minWidth = moments.length * 4 + 'px';
  const bars = $('bars'), most = Math.max(1, ...moments.map(m => m.tokens));
  let at = -1;
  const select = i => {
    if (i < 0 || i >= moments.length) return;
    if (at >= 0) { bars.children[at].classList.remove('at'); bars.children[at].setAttribute('aria-selected', 'false'); }
    at = i;
    const b = bars.children[i], m = moments[i];
    b.classList.add('at');
    b.setAttribute('aria-selected', 'true');
    bars.setAttribute('aria-activedescendant', b.id);
    b.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    $('tip').textContent = `Iteration ${m.iteration}, ${number(m.tokens)} tokens, ${m.fold ? 'in ' + m.fold : zones[i]}` +
      (m.at ? ', ' + m.at.slice(0, 16).replace('T', ' ') : '') + ': ' + (line(m.said, 140) || (m.tools || []).join(', '));
  };
  moments.forEach((m, i) => {
    const s = el('span', zones[i] + (m.prompt ? ' prompt' : ''));
    s.id = 'b' + i;
    s.style.height = Math.max(3, 100 * Math.sqrt(m.tokens / most)) + '%';
    s.setAttribute('role', 'option');
    s.setAttribute('aria-label', 'iteration ' + m.iteration);
    s.addEventListener('click', () => { select(i); show(i); });
    s.addEventListener('mouseenter', () => select(i));
    s.style.gridColumn = i + 1;
    bars.append(s);
    if (m.errors) {
      const dot = el('i');
      dot.style.gridColumn = i + 1;
      $('errors').append(dot);
    }
  });
  // Folds below the iterations they hold, the outer ones first; where folding
  // happened, a line.
  const columnOf = n => { const i = moments.findIndex(m => m.iteration >= n); return i < 0 ? moments.length : i; };
  const parent = new Map();
  for (const b of live) for (const id of b.children || []) parent.set(id, b);
  const depth = b => { let n = 0; for (let p = parent.get(b.id); p && n < 9; p = parent.get(p.id)) n++; return n; };
  for (const b of live) {
    const from = columnOf(b.iteration_range[0]), to = columnOf(b.iteration_range[1] + 1);
    const f = el('button', '', 'F' + b.number);
    f.type = 'button';
    f.title = `F${b.number}: ${line(b.summary && b.summary.title, 320)}`;
    f.style.gridColumn = `${from + 1} / ${Math.max(from + 2, to + 1)}`;
    f.style.gridRow = depth(b) + 1;
    f.addEventListener('click', () => { select(from); show(from); });
    $('folds').append(f);
  }
  const epochs = new Set(blocks.map(b => b.at).filter(Boolean));
  for (const n of epochs) {
    const mark = el('i');
    mark.style.gridColumn = columnOf(n) + 1;
    $('epochs').append(mark);
  }
  // About eight ticks, each with the iteration and its time; the day where it changes.
  const step = Math.max(1, Math.ceil(moments.length / 8));
  let before = '';
  for (let i = 0, odd = false; i < moments.length; i += step, odd = !odd) {
    const m = moments[i], tick = el('span', odd ? 'odd' : '', String(m.iteration));
    tick.style.gridColumn = i + 1;
    if (i > .85 * moments.length) { // its text would run past the right edge: it stands left of its mark
      tick.classList.add('end');
      tick.style.gridColumn = `1 / ${i + 1}`;
    }
    if (m.at) tick.append(el('small', '', (day(m.at) !== before && day(first) !== day(last) ? day(m.at).slice(5) + ' ' : '') + clock(m.at)));
    before = day(m.at);
    $('axis').append(tick);
  }
  bars.addEventListener('keydown', e => {
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[e.key];
    if (step) select(Math.max(0, Math.min(moments.length - 1, at + step)));
    else if (e.key === 'Home') select(0);
    else if (e.key === 'End') select(moments.length - 1);
    else if ((e.key === 'Enter' || e.key === ' ') && at >= 0) show(at);
    else return;
    e.preventDefault();
  });

  // Search: iterations that say it are opened, one after the other with Enter.
  let found = [], next = 0;
  const search = () => {
    words = $('q').value.trim().toLowerCase();
    for (const d of document.querySelectorAll('#run details')) if (d.reset) d.reset();
    found = !words ? [] : moments.map((_, i) => i).filter(i => (said[i] || []).some(x => x.text.toLowerCase().includes(words)));
    next = 0;
    $('hits').textContent = !words ? '' : found.length ? `${found.length} ${found.length > 1 ? "iterations" : "iteration"}, Enter opens the next` : 'nothing says it';
    for (let i = 0; i < moments.length; i++) bars.children[i].style.opacity = words && !found.includes(i) ? .25 : 1;
  };
  $('q').addEventListener('input', search);
  $('search').addEventListener('submit', e => {
    e.preventDefault();
    if (!found.length) return;
    const i = found[next++ % found.length];
    select(i);
    show(i);
    $('q').focus({ preventScroll: true });
  });
  const all = open => {
    for (let again = true; again;) {
      again = false;
      for (const d of document.querySelectorAll('#run details.fold')) if (d.open !== open) { d.open = open; if (open) { d.fillNow(); again = true; } }
    }
    if (!open) for (const d of document.querySelectorAll('#run details')) d.open = false;
  };
  // #i12 opens iteration 12, #q=word searches.
  const go = () => {
    const at = location.hash.match(/^#i(\d+)$/), q = location.hash.match(/^#q=(.+)$/);
    if (at && indexOf.has(+at[1])) { select(indexOf.get(+at[1])); show(indexOf.get(+at[1])); }
    if (q) { try { $('q').value = decodeURIComponent(q[1]); } catch { return; } search(); $('search').requestSubmit(); }
  };
  addEventListener('hashchange', go);
  go();
  $('open').addEventListener('click', () => all(true));
  $('close').addEventListener('click', () => all(false));
})();
