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
  const moments = data.moments || [], blocks = data.blocks || [], zones = data.zones || [], said = data.said || [], pauses = data.pauses || [];
  const inspection = data.inspection, folding = zones.some(z => z === 'long-term' || z === 'short-term') || inspection.strategy === 'folding';

  const several = (n, one) => `${number(n)} ${one}${n === 1 ? '' : 's'}`;
  const share = (n, of) => of ? `${Math.round(100 * n / of)} %` : '0 %';
  const clock = at => at ? at.slice(11, 16) : '';
  const day = at => at ? at.slice(0, 10) : '';
  const shortDay = at => new Date(at).toLocaleDateString('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

  // The heading is plain text; what it leaves out opens below it.
  const heading = data.heading || data.name;
  $('task').textContent = heading;
  $('name').textContent = heading === data.name ? 'A run' : 'Run ' + data.name;
  document.title = line(heading, 60) + ' · context';
  $('whole').lastChild.textContent = data.task;

  // The run in a few figures.
  const errors = moments.reduce((n, m) => n + (m.errors || 0), 0), failing = moments.filter(m => m.errors).length;
  const asked = moments.filter(m => m.prompt).length, folded = moments.filter(m => m.fold).length, out = zones.filter(z => z === 'out').length;
  const first = moments.length ? moments[0].at : '', last = moments.length ? moments[moments.length - 1].at : '';
  const summary = (inspection.zones || []).find(z => z.name === 'summary');
  const fact = (name, value, more, bad) => {
    const box = el('div', bad ? 'bad' : ''), dd = el('dd', '', value);
    if (more) dd.append(el('small', '', more));
    box.append(el('dt', '', name), dd);
    $('facts').append(box);
  };
  fact('The model sees', share(inspection.tokens, inspection.whole) + ' of the run', `${number(inspection.tokens)} of ${number(inspection.whole)} tokens`);
  fact('Run', several(inspection.iterations, 'iteration'), several(asked, 'request') + ' of yours');
  if (folding) fact('Folded', several(folded, 'iteration'), folded ? `in ${several(blocks.filter(b => b.top && !b.open && b.level !== 1).length, 'fold')} that open again` : 'nothing yet');
  else if (zones.some(z => z)) fact('Not shown', several(out, 'iteration'), out ? summary && summary.tokens ? 'told in short' : 'left out' : 'all are in full');
  fact('Errors', number(errors), errors ? `in ${several(failing, 'iteration')}` : 'none', errors > 0);
  if (first) {
    const one = day(first) === day(last);
    fact('Time', one ? clock(first) + (clock(first) === clock(last) ? '' : '–' + clock(last)) : `${shortDay(first)} – ${shortDay(last)}`, (one ? day(first) : first.slice(0, 4)) + ' UTC' + (pauses.length ? ', ' + several(pauses.length, 'pause') : ''));
  }
  $('line').textContent = `Strategy ${inspection.strategy}: ${several(inspection.messages, 'message')} fill ${share(inspection.tokens, inspection.limit)} of a window of ${number(inspection.limit)} tokens.`;

  // The window by its zones.
  const about = {
    'static': inspection.strategy === 'working_memory' ? 'system prompt, task, the overview of the agent' : 'system prompt and task',
    'working': 'the last iterations, in full', 'short-term': 'dialogue in full, output left out',
    'long-term': 'folds: a title and what came of it', 'retrieved': 'folds that were opened again', 'dynamic': 'where things stand',
    'summary': { two_layer: 'the story of what came before', milestone: 'chapters of what came before', sliding_window_checkpoints: 'a sentence for each stretch before' }[inspection.strategy] || 'what came before, in short',
  };
  const parts = [];
  const zoneRow = (name, tokens, room, what) => {
    const li = el('li');
    li.append(el('i', 'key ' + name), el('span', '', name), el('span', 'num', room ? `${number(tokens)} of ${number(room)}` : number(tokens)));
    if (what) li.append(el('small', '', what));
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
    zoneRow(z.name, z.tokens, z.room || 0, (about[z.name] || '') + (z.name === 'summary' && !z.tokens ? ': none yet' : ''));
  }
  const free = Math.max(0, inspection.limit - inspection.tokens);
  slice('free', free);
  zoneRow('free', free, 0, 'striped: room that nothing takes yet');
  $('window').setAttribute('aria-label', parts.join(', '));

  // A fold lies in the smallest one around it, also where that was made of its
  // iterations and not of the fold. What lies in none that is shown was opened again.
  const lies = (a, b) => b.iteration_range[0] <= a.iteration_range[0] && a.iteration_range[1] <= b.iteration_range[1];
  const length = b => b.iteration_range[1] - b.iteration_range[0];
  const live = [], parent = new Map(), children = new Map(), level = new Map();
  for (const b of blocks.filter(b => !b.open && b.level !== 1).sort((a, b) => length(b) - length(a) || b.top - a.top || b.number - a.number)) {
    const outer = live.findLast(o => lies(b, o));
    if (!outer && !b.top) continue;
    // One row for each level of nesting; a journal that others wrote may have folds that
    // cut through each other, which do not fit one row.
    let row = outer ? level.get(outer) + 1 : 0;
    while (live.some(o => level.get(o) === row && o.iteration_range[0] <= b.iteration_range[1] && b.iteration_range[0] <= o.iteration_range[1])) row++;
    level.set(b, row);
    parent.set(b, outer);
    children.set(b, []);
    if (outer) children.get(outer).push(b);
    live.push(b);
  }

  // The run: folds with their iterations in them, built when they are opened. While
  // something is searched for, only what says it.
  const indexOf = new Map(moments.map((m, i) => [m.iteration, i]));
  const rows = new Map(); // an iteration or a fold → its element, once built
  let words = null, found = []; // what is searched for, and how often each iteration says it

  const mark = (node, text) => {
    let from = 0;
    for (const m of words ? text.matchAll(words) : []) {
      node.append(text.slice(from, m.index), el('mark', '', m[0]));
      from = m.index + m[0].length;
    }
    node.append(text.slice(from));
    return node;
  };
  const count = text => words ? [...(text || '').matchAll(words)].length : 0;
  const told = b => { const s = b.summary || {}; return [s.title, s.content, s.outcome].filter(Boolean).join('\n'); };
  const fillLater = (d, fill) => {
    let done = false;
    d.fillNow = () => { if (!done) { done = true; fill(d); } };
    d.addEventListener('toggle', () => { if (d.open) d.fillNow(); });
    return d;
  };
  const calls = m => (m.tools || []).map((t, k) => t + ((m.about || [])[k] ? ' ' + m.about[k] : ''));
  // The text around the first hit, for a row that does not show one itself.
  const around = i => {
    for (const x of said[i] || []) {
      const at = x.text.search(words);
      if (at >= 0) return (at > 60 ? '…' : '') + line(x.text.slice(Math.max(0, at - 60), at + 140), 190);
    }
    return '';
  };
  const iteration = i => {
    const m = moments[i], did = calls(m), more = did.length > 3 ? `, and ${did.length - 3} more` : '';
    const d = el('details', `it is-${zones[i]}${m.prompt ? ' asked' : ''}`), s = el('summary');
    const code = mark(el('code', m.said ? 'did' : ''), did.slice(0, 3).join(', ') + more);
    code.title = did.join('\n');
    s.append(el('b', '', String(m.iteration)), m.said || !did.length ? mark(el('span', 'what'), line(m.said, 110) || 'nothing said') : code,
      el('span', 'tag', number(m.tokens) + ' tokens'));
    if (m.errors) s.append(el('span', 'tag bad', several(m.errors, 'error')));
    if (m.bookmark) s.append(el('span', 'tag', '★ ' + line(m.bookmark, 40)));
    if (words) s.append(el('span', 'tag', several(found[i], 'hit')));
    if (m.said && did.length) s.append(code);
    if (words && !s.querySelector('mark')) s.append(mark(el('span', 'found'), around(i)));
    d.append(s);
    rows.set(m.iteration, d);
    return fillLater(d, () => {
      for (const x of said[i] || []) {
        const box = el('div', 'say ' + x.who), pre = mark(el('pre'), x.text);
        box.append(el('h4', '', x.who));
        if (x.text.length > 2000) pre.tabIndex = 0;
        box.append(pre);
        if (x.bytes) box.append(el('p', 'hint', `cut here; ${number(x.bytes)} bytes: orihon context expand ${m.iteration}`));
        d.append(box);
      }
    });
  };
  const fold = b => {
    const [from, to] = b.iteration_range, d = el('details', 'fold'), s = el('summary');
    s.append(el('b', '', 'F' + b.number), mark(el('span', 'what'), line(b.summary && b.summary.title, 320)),
      el('span', 'tag', `iterations ${from}–${to}, ${number(b.tokens)} tokens`));
    let requests = 0, failed = 0, hits = 0;
    moments.forEach((m, i) => {
      if (m.iteration < from || m.iteration > to) return;
      if (m.prompt) requests++;
      failed += m.errors || 0;
      hits += found[i] || 0;
    });
    const inner = children.get(b).length;
    if (requests) s.append(el('span', 'tag', several(requests, 'request')));
    if (inner) s.append(el('span', 'tag', several(inner, 'fold') + ' inside'));
    if (failed) s.append(el('span', 'tag bad', several(failed, 'error')));
    if (words && hits) s.append(el('span', 'tag', several(hits, 'hit')));
    d.append(s);
    rows.set(b, d);
    fillLater(d, () => {
      const dl = el('dl', 'about');
      const row = (name, list) => {
        const text = (list || []).filter(Boolean).join('\n');
        if (text && (!words || count(text))) dl.append(el('dt', '', name), mark(el('dd'), text));
      };
      const sum = b.summary || {};
      row('summary', [sum.content]);
      row('outcome', [sum.outcome]);
      if (!words) { // what is searched for stands in the iterations that these are taken from
        row('asked', b.instructions);
        row('changed', b.state_changes);
        row('errors', b.errors);
        row('decided', b.decisions);
        row('names', [(b.entities || []).join(', ')]);
      }
      d.append(dl);
      range(d, from, to, children.get(b));
    });
    if (words) { d.open = true; d.fillNow(); }
    return d;
  };
  const says = b => count(told(b)) > 0 || moments.some((m, i) => found[i] && b.iteration_range[0] <= m.iteration && m.iteration <= b.iteration_range[1]);
  const range = (into, from, to, inside) => {
    for (let i = 0; i < moments.length; i++) {
      const n = moments[i].iteration;
      if (n < from || n > to) continue;
      const b = inside.find(b => b.iteration_range[0] <= n && n <= b.iteration_range[1]);
      if (!b) { if (!words || found[i]) into.append(iteration(i)); continue; }
      if (!words || says(b)) into.append(fold(b));
      while (i + 1 < moments.length && moments[i + 1].iteration <= b.iteration_range[1]) i++;
    }
  };
  const list = () => {
    rows.clear();
    $('run').replaceChildren();
    if (moments.length) range($('run'), moments[0].iteration, moments[moments.length - 1].iteration, live.filter(b => !parent.get(b)));
  };
  list();

  // The folds around an iteration, the outermost first.
  const foldsAround = (from, to) => live.filter(b => b.iteration_range[0] <= from && to <= b.iteration_range[1]).sort((a, b) => level.get(a) - level.get(b));
  // Opens the row of an iteration or of a fold, and the folds around it.
  const show = (key, outer) => {
    if (words && !rows.has(key)) { $('q').value = ''; search(); }
    for (const b of outer) {
      const d = rows.get(b);
      if (d) { d.open = true; d.fillNow(); }
    }
    const d = rows.get(key);
    if (!d) return;
    d.open = true;
    d.fillNow();
    d.firstChild.focus({ preventScroll: true });
    // A hit deep in a long text is what was looked for, not the row.
    const hit = words && d.querySelector('pre mark');
    if (hit) hit.scrollIntoView({ block: 'center' });
    else d.scrollIntoView({ block: d.offsetHeight > innerHeight / 2 ? 'start' : 'center' });
  };
  const showMoment = i => show(moments[i].iteration, foldsAround(moments[i].iteration, moments[i].iteration));
  const showFold = b => show(b, foldsAround(...b.iteration_range));

  // The timeline. An iteration is one step wide whatever time it took; where nothing
  // happened for long there is a gap. All of it fits the page: where steps are too
  // narrow to be seen, one bar is several iterations, as tall as the largest.
  const bars = $('bars'), most = Math.max(1, ...moments.map(m => m.tokens)), gap = 20, least = 3, thumb = 24;
  const columnOf = n => { const i = moments.findIndex(m => m.iteration >= n); return i < 0 ? moments.length : i; };
  const slots = pauses.map(p => ({ p, at: p.within ? columnOf(p.iteration + 1) : columnOf(p.iteration) })).filter(s => s.at > 0);
  const why = {
    pressure: 'the window was nearly full', periodic: 'enough iterations had passed', semantic: 'a part of the work was done',
    manual: 'done by hand', catch_up: 'the run was long before it was folded',
  };
  // Levels below a fold are part of an epoch, too: output was left out.
  const epochs = [];
  for (const b of blocks.slice().sort((a, b) => a.epoch - b.epoch)) {
    if (!b.at) continue;
    const e = epochs.find(e => e.epoch === b.epoch) || epochs[epochs.push({ epoch: b.epoch, at: b.at, reason: b.reason, folds: [], trimmed: 0 }) - 1];
    if (b.level === 1) e.trimmed++;
    else e.folds.push('F' + b.number);
  }
  let at = -1, x = () => 0, step = 1, drawn = [];

  const describe = i => {
    const m = moments[i], b = foldsAround(m.iteration, m.iteration).pop();
    const state = { 'working': 'in full', 'short-term': 'output left out', 'out': 'not shown' }[zones[i]] || '';
    return [`Iteration ${m.iteration}`, several(m.tokens, 'token'), b ? `in F${b.number}` : state, m.at ? `${day(m.at)} ${clock(m.at)} UTC` : '', m.errors ? several(m.errors, 'error') : '']
      .filter(Boolean).join(', ') + ': ' + (line(m.said, 140) || line(calls(m).join(', '), 140) || 'nothing said');
  };
  const select = i => {
    if (!moments.length) return;
    at = Math.max(0, Math.min(moments.length - 1, i));
    const m = moments[at], text = describe(at);
    $('tip').textContent = text;
    bars.setAttribute('aria-valuenow', at + 1);
    bars.setAttribute('aria-valuetext', text);
    $('back').disabled = at === 0;
    $('on').disabled = at === moments.length - 1;
    $('within').replaceChildren(...foldsAround(m.iteration, m.iteration).map(b => {
      const f = el('button', 'of', `F${b.number} `);
      f.type = 'button';
      f.append(el('small', '', line(b.summary && b.summary.title, 60)));
      f.addEventListener('click', () => showFold(b));
      return f;
    }));
    for (const d of drawn) d.bar.classList.toggle('at', d.from <= at && at <= d.to);
  };
  const place = (e, left, width) => { e.style.left = left + 'px'; if (width !== undefined) e.style.width = width + 'px'; return e; };
  const draw = () => {
    const n = moments.length, room = $('track').clientWidth;
    $('whole').hidden = !data.task || line(data.task, 1e6) === heading && $('task').scrollHeight <= $('task').clientHeight + 1;
    // The longest pauses, so that they leave most of the room to the bars.
    const shown = slots.slice().sort((a, b) => b.p.length - a.p.length).slice(0, Math.floor(room / 3 / gap)).sort((a, b) => a.at - b.at);
    step = Math.min(40, (room - gap * shown.length) / Math.max(1, n));
    const gaps = i => shown.filter(s => s.at <= i).length;
    const left = [...moments, null].map((_, i) => i * step + gap * gaps(i)); // the last is the end
    x = i => left[i];
    const size = Math.max(1, Math.ceil(least / step)), margin = step * size > 2 * least ? 1 : .5;
    for (const id of ['lines', 'notes', 'errors', 'folds', 'axis']) $(id).replaceChildren();
    bars.replaceChildren();
    drawn = [];
    for (let i = 0; i < n;) {
      let end = i + 1;
      while (end < n && end < i + size && zones[end] === zones[i] && gaps(end) === gaps(i)) end++;
      const all = moments.slice(i, end), wide = x(end - 1) + step - x(i);
      const bar = el('span', (zones[i] || 'unknown') + (all.some(m => m.prompt) ? ' prompt' : '') + (words && !found.slice(i, end).some(Boolean) ? ' dim' : ''));
      bar.style.height = Math.max(3, 100 * Math.sqrt(Math.max(...all.map(m => m.tokens)) / most)) + '%';
      bars.append(place(bar, x(i) + margin / 2, Math.max(1, wide - margin)));
      if (all.some(m => m.errors)) $('errors').append(place(el('i'), x(i) + wide / 2));
      drawn.push({ bar, from: i, to: end - 1 });
      i = end;
    }
    shown.forEach(s => {
      const box = place(el('span', 'pause', s.p.text + ' pause'), x(s.at) - gap * (1 + shown.filter(o => o.at === s.at).indexOf(s)) + 2, gap - 4);
      box.title = `${s.p.text} pause ${s.p.within ? 'in' : 'before'} iteration ${s.p.iteration}`;
      bars.append(box);
      if (box.scrollHeight > box.clientHeight) box.textContent = s.p.text;
    });
    // A fold has its whole label or none; one too narrow to be hit leaves the finger
    // to the timeline, which names it.
    const row = thumb + 2;
    let deepest = -1;
    for (const b of live.slice().sort((a, b) => level.get(a) - level.get(b) || a.iteration_range[0] - b.iteration_range[0])) {
      const from = columnOf(b.iteration_range[0]), to = columnOf(b.iteration_range[1] + 1) - 1;
      if (from >= n || to < from) continue;
      const f = place(el('button', '', 'F' + b.number), x(from) + .5, Math.max(2, x(to) + step - x(from) - 1));
      f.type = 'button';
      f.title = `F${b.number}: ${line(b.summary && b.summary.title, 320)}`;
      f.setAttribute('aria-label', f.title);
      f.style.top = level.get(b) * row + 'px';
      deepest = Math.max(deepest, level.get(b));
      f.addEventListener('click', () => { select(from); showFold(b); });
      $('folds').append(f);
      if (f.getBoundingClientRect().width < thumb) f.classList.add('thin');
      if (f.scrollWidth > f.clientWidth) f.textContent = '';
    }
    $('folds').style.height = (deepest + 1) * row + 'px';
    // Where folding happened: a line, and as much of its name as there is room for.
    let edge = 0;
    epochs.forEach((e, k) => {
      const i = Math.min(n - 1, columnOf(e.at)), right = x(i) + step;
      $('lines').append(place(el('i'), right - 1));
      for (const text of epochs.length === 1 ? [`folding: ${why[e.reason] || e.reason}`, 'folding'] : [`folding ${k + 1}: ${why[e.reason] || e.reason}`, `folding ${k + 1}`, String(k + 1)]) {
        const name = el('span', '', text);
        $('notes').append(name);
        if (right - name.offsetWidth - 4 >= edge) { place(name, right - name.offsetWidth - 4); edge = right; break; }
        name.remove();
      }
    });
    // The axis: the first and the last iteration, what comes after a pause, and as
    // many others as there is room for between them.
    const taken = [], manyDays = day(first) !== day(last);
    const tick = (i, end) => {
      const m = moments[i], t = el('span', end ? 'end' : '', number(m.iteration));
      if (m.at) t.append(el('small', '', (manyDays ? shortDay(m.at) + ', ' : '') + clock(m.at)));
      $('axis').append(t);
      const wide = t.offsetWidth, from = end ? x(i) + step - wide : x(i);
      if (from < 0 && i || from + wide > room + 1 || taken.some(([a, b]) => from < b + 8 && a < from + wide + 8)) { t.remove(); return; }
      place(t, Math.max(0, from));
      taken.push([from, from + wide]);
    };
    if (n) tick(0);
    if (n > 1) tick(n - 1, x(n - 1) + 80 > room);
    for (const s of shown) if (s.at < n) tick(s.at);
    for (let k = 1; k < 9; k++) if (n > 8) tick(Math.floor(k * n / 9));
    $('scale').textContent = `${size > 1 ? `One bar is up to ${size} iterations` : 'One bar is one iteration'}, oldest first; the taller, the more tokens.` +
      (shown.length ? ` A gap is a pause of ${shown.length < slots.length ? shown.reduce((a, s) => s.p.length < a.length ? s.p : a, shown[0].p).text : 'half an hour'} or more.` : '') +
      (first ? ' Below: iteration and time (UTC).' : '');
    if (at >= 0) select(at);
  };

  const legend = (cls, text, there) => {
    if (!there) return;
    const li = el('li');
    li.append(el('i', cls), text);
    $('legend').append(li);
  };
  legend('working', 'in full', zones.includes('working'));
  legend('short-term', 'output left out', zones.includes('short-term'));
  legend('long-term', 'folded', zones.includes('long-term'));
  legend('out', summary && summary.tokens ? 'told in short or left out' : 'left out', zones.includes('out'));
  legend('unknown', 'the strategy does not say what is shown', zones.includes(''));
  legend('cap', 'you asked', asked);
  legend('dot', 'error', errors);
  legend('line', epochs.length > 1 ? 'folding happened; the list below says why' : 'folding happened', epochs.length);
  legend('pause', 'pause', slots.length);
  if (epochs.length) {
    $('when').hidden = false;
    $('when').firstChild.textContent = `Folding happened ${epochs.length === 1 ? 'once' : number(epochs.length) + ' times'}`;
    for (const e of epochs) {
      const did = [e.folds.length ? 'made ' + (e.folds.length > 6 ? several(e.folds.length, 'fold') : e.folds.join(', ')) : '', e.trimmed ? 'left output out' : ''].filter(Boolean).join(' and ');
      $('when').lastChild.append(el('li', '', `In iteration ${number(e.at)}: ${why[e.reason] || e.reason}. It ${did}.`));
    }
  }

  bars.setAttribute('aria-valuemin', 1);
  bars.setAttribute('aria-valuemax', moments.length);
  select(moments.length - 1);
  draw();
  new ResizeObserver(() => draw()).observe($('track'));

  const under = e => {
    const px = e.clientX - $('track').getBoundingClientRect().left;
    let i = 0;
    while (i + 1 < moments.length && x(i + 1) <= px) i++;
    return i;
  };
  const track = $('track');
  let pressed = false;
  track.addEventListener('pointerdown', e => {
    if (e.button || e.target.closest('button')) return;
    pressed = true;
    select(under(e));
  });
  track.addEventListener('pointermove', e => {
    if (pressed) select(under(e));
    else if (e.pointerType === 'mouse' && moments.length) $('tip').textContent = describe(under(e));
  });
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => { pressed = false; });
  track.addEventListener('pointerleave', () => { if (at >= 0) $('tip').textContent = describe(at); });
  bars.addEventListener('keydown', e => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: -10, PageUp: 10 }[e.key];
    if (by) select(at + by);
    else if (e.key === 'Home') select(0);
    else if (e.key === 'End') select(moments.length - 1);
    else if ((e.key === 'Enter' || e.key === ' ') && at >= 0) showMoment(at);
    else return;
    e.preventDefault();
  });
  $('back').addEventListener('click', () => select(at - 1));
  $('on').addEventListener('click', () => select(at + 1));
  $('see').addEventListener('click', () => { if (at >= 0) showMoment(at); });

  // Search: hits are marked, what says nothing of it is hidden and its bars dimmed.
  let next = 0;
  const search = () => {
    const q = $('q').value.trim();
    words = q ? new RegExp(q.replace(/[\\^$.*+?()[\]{}|\/]/g, '\\$&'), 'giu') : null;
    found = q ? said.map(all => all.reduce((n, x) => n + count(x.text), 0)) : [];
    next = 0;
    list();
    draw();
    const hits = found.reduce((n, k) => n + k, 0), where = found.filter(Boolean).length, titles = live.filter(b => count(told(b))).length;
    $('next').hidden = !where;
    const folds = titles ? `the summar${titles === 1 ? 'y' : 'ies'} of ${several(titles, 'fold')}` : '';
    $('hits').textContent = !q ? '' : hits ? `${several(hits, 'hit')} in ${several(where, 'iteration')}${folds && ', also in ' + folds}`
      : folds ? 'only in ' + folds
        : 'Nothing says it.' + (said.some(all => all.some(x => x.bytes)) ? ' Long texts are cut on this page; orihon context retrieve --keyword looks through the whole run.' : '');
  };
  let later = 0;
  $('q').addEventListener('input', () => { clearTimeout(later); later = setTimeout(() => { later = 0; search(); }, 150); });
  $('search').addEventListener('submit', e => {
    e.preventDefault();
    if (later) { clearTimeout(later); later = 0; search(); }
    const hits = found.flatMap((n, i) => n ? [i] : []);
    if (!hits.length) return;
    const i = hits[next++ % hits.length];
    select(i);
    showMoment(i);
  });
  const all = open => {
    for (let again = open; again;) {
      again = false;
      for (const d of document.querySelectorAll('#run details.fold:not([open])')) { d.open = true; d.fillNow(); again = true; }
    }
    if (!open) for (const d of document.querySelectorAll('#run details')) d.open = false;
  };
  // #i12 opens iteration 12, #q=word searches.
  const go = () => {
    const to = location.hash.match(/^#i(\d+)$/), q = location.hash.match(/^#q=(.+)$/);
    if (to && indexOf.has(+to[1])) { select(indexOf.get(+to[1])); showMoment(indexOf.get(+to[1])); }
    if (q) { try { $('q').value = decodeURIComponent(q[1]); } catch { return; } search(); }
  };
  addEventListener('hashchange', go);
  go();
  $('open').addEventListener('click', () => all(true));
  $('close').addEventListener('click', () => all(false));
})();
