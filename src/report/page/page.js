// page.js -- choices, sorting and buttons for a page that is complete without them.
//
// All data come from the JSON embedded in the page. Names are inserted as text only, never as HTML.
// Bins hold sums, so merging them gives the same numbers as measuring with fewer bins
// (docs/design/0005-profile-and-page.md).
'use strict';
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const BINS = [5, 10, 15, 20, 25, 30, 50, 60, 75, 100];
  const Z = 1.959963984540054; // normal quantile of a 95 % interval
  const TAIL = 0.025;

  // ---- Numbers, formatted as the program prints them.
  const even = (x) => { // ties to even, like C's rint
    const below = Math.floor(x);
    const rest = x - below;
    return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
  };
  const decimals = (x, count) => (even(x * 10 ** count) / 10 ** count).toFixed(count);
  const value = (x) => {
    if (!Number.isFinite(x)) return '–';
    const size = Math.abs(x);
    if ((size > 0 && size < 1e-4) || size >= 1e6)
      return x.toExponential(3).replace(/e([+-])(\d)$/, 'e$10$2');
    return decimals(x, 4);
  };
  const count = (n) => n < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');

  // ---- Bins.
  // Wilson interval of a proportion, the same as in src/evaluate/bin_range.c.
  const wilson = (share, n) => {
    const shrink = 1 / (1 + Z * Z / n);
    const centre = shrink * (share + Z * Z / (2 * n));
    const half = shrink * Z * Math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
    return [Math.min(Math.max(centre - half, 0), share),
      Math.max(Math.min(centre + half, 1), share)];
  };

  // Quantiles of a binomial count: summed exactly if its variance is small, else a normal
  // approximation.
  const quantiles = (p, n) => {
    if (n * p * (1 - p) >= 25) {
      const middle = n * p + (Z * Z - 1) * (1 - 2 * p) / 6;
      const half = Z * Math.sqrt(n * p * (1 - p));
      return [middle - half, middle + half];
    }
    let mass = Math.exp(n * Math.log1p(-p)), below = 0, low = -1;
    for (let k = 0; ; k++) {
      below += mass;
      if (low < 0 && below > TAIL) low = k;
      if (below >= 1 - TAIL || k >= n) return [low, k];
      mass *= (n - k) / (k + 1) * (p / (1 - p));
    }
  };

  // The range that holds a calibrated model's accuracy in 95 % of samples.
  const calibrated = (p, n) => {
    const rate = Math.min(Math.max(p, 0), 1);
    const [low, high] = quantiles(Math.min(rate, 1 - rate), n);
    return rate <= 0.5 ? [low / n, high / n] : [(n - high) / n, (n - low) / n];
  };

  // Merges fine bins into `wanted` wider ones.
  const regroup = (fine, wanted) => {
    const bins = Array.from({ length: wanted }, (_, i) => ({
      low: i / wanted, high: (i + 1) / wanted, rows: 0, weight: 0, confidenceSum: 0, correctSum: 0,
    }));
    const weights = fine.weight || fine.rows;
    fine.index.forEach((at, i) => {
      const bin = bins[Math.floor(at * wanted / fine.bins)];
      bin.rows += fine.rows[i];
      bin.weight += weights[i];
      bin.confidenceSum += fine.confidence[i];
      bin.correctSum += fine.correct[i];
    });
    for (const bin of bins.filter((b) => b.weight > 0)) {
      bin.confidence = bin.confidenceSum / bin.weight;
      bin.accuracy = bin.correctSum / bin.weight;
      bin.interval = wilson(bin.accuracy, bin.rows);
      bin.range = calibrated(bin.confidence, bin.rows);
    }
    return bins;
  };

  // The bins that the result was measured with.
  const measured = (reliability) => reliability.map((b) => ({
    ...b, weight: b.confidence === null ? 0 : b.weight,
    confidenceSum: b.weight * b.confidence, correctSum: b.weight * b.accuracy,
    interval: b.accuracy_low === null ? null : [b.accuracy_low, b.accuracy_high],
    range: b.calibrated_low === null ? null : [b.calibrated_low, b.calibrated_high],
  }));

  const sum = (items, of) => items.reduce((total, item) => total + of(item), 0);
  // The metrics that follow from bins, under the program's names for them.
  const measure = (bins) => {
    const full = bins.filter((b) => b.weight > 0);
    const total = sum(full, (b) => b.weight);
    const gap = (b) => Math.abs(b.confidenceSum - b.correctSum);
    return {
      rows: sum(bins, (b) => b.rows),
      confidence: sum(full, (b) => b.confidenceSum) / total,
      accuracy: sum(full, (b) => b.correctSum) / total,
      ece: sum(full, gap) / total,
      mce: Math.max(0, ...full.map((b) => gap(b) / b.weight)),
      'over-part': sum(full.filter((b) => b.confidence > b.accuracy), gap) / total,
      'under-part': sum(full.filter((b) => b.accuracy > b.confidence), gap) / total,
    };
  };

  // ---- Elements.

  const element = (tag, attributes, text) => {
    const made = document.createElement(tag);
    for (const [name, held] of Object.entries(attributes || {})) made.setAttribute(name, held);
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const mark = (parent, tag, kind, attributes, text) => {
    const made = document.createElementNS(SVG, tag);
    if (kind) made.setAttribute('class', kind);
    for (const [name, held] of Object.entries(attributes))
      made.setAttribute(name, typeof held === 'number' ? Math.round(held * 100) / 100 : held);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  };

  const button = (words, act) => {
    const made = element('button', { type: 'button' }, words);
    made.addEventListener('click', () => act(made));
    return made;
  };

  const save = (name, type, text) => {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = element('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };

  // ---- The diagram, drawn like src/report/figure/reliability.c.

  const WIDTH = 480, HEIGHT = 540, LEFT = 52, RIGHT = 468, TOP = 12, BOTTOM = 404;
  const COUNTS_TOP = 424, COUNTS_BOTTOM = 496;
  const x = (share) => LEFT + share * (RIGHT - LEFT);
  const y = (share) => BOTTOM - share * (BOTTOM - TOP);

  const words = (bin, view) => {
    const place = `(${decimals(bin.low, 2)}, ${decimals(bin.high, 2)}]`;
    if (!(bin.weight > 0)) return [place, 'empty'];
    const lines = [place, `${count(bin.rows)} ${bin.rows === 1 ? 'row' : 'rows'}`,
      `${view.xLabel} ${value(bin.confidence)}`, `${view.yLabel} ${value(bin.accuracy)}`];
    if (bin.interval) lines.push(`95 % interval ${bin.interval.map(value).join(' – ')}`);
    if (bin.range) lines.push(`95 % if calibrated ${bin.range.map(value).join(' – ')}`);
    return lines;
  };

  const stripes = (svg, id) => {
    const defs = mark(svg, 'defs', '', {});
    for (const [kind, d] of [['over', 'M-1 7L7 -1M-1 1L1 -1M5 7L7 5'],
      ['under', 'M-1 -1L7 7M5 -1L7 1M-1 5L1 7']]) {
      const made = mark(defs, 'pattern', '', { id: `${id}-${kind}`, width: 6, height: 6,
        patternUnits: 'userSpaceOnUse' });
      mark(made, 'path', kind, { d, 'stroke-width': '1.8', fill: 'none' });
    }
  };

  const axes = (svg, view, fullest) => {
    for (let i = 0; i <= 5; i++) {
      const at = i / 5;
      mark(svg, 'line', 'grid', { x1: LEFT, y1: y(at), x2: RIGHT, y2: y(at) });
      mark(svg, 'line', 'grid', { x1: x(at), y1: TOP, x2: x(at), y2: BOTTOM });
      mark(svg, 'line', 'grid', { x1: x(at), y1: COUNTS_TOP, x2: x(at), y2: COUNTS_BOTTOM });
      const tick = decimals(at, 1);
      mark(svg, 'text', 'dim', { x: LEFT - 6, y: y(at) + 4, 'text-anchor': 'end' }, tick);
      mark(svg, 'text', 'dim', { x: x(at), y: COUNTS_BOTTOM + 16, 'text-anchor': 'middle' }, tick);
    }
    for (const top of [BOTTOM, COUNTS_BOTTOM])
      mark(svg, 'line', 'axis', { x1: LEFT, y1: top, x2: RIGHT, y2: top });
    mark(svg, 'text', 'dim', { x: LEFT - 6, y: COUNTS_TOP + 9, 'text-anchor': 'end' },
      `${decimals(100 * fullest, 0)} %`);
    mark(svg, 'text', 'text', { x: x(0.5), y: HEIGHT - 8, 'text-anchor': 'middle' }, view.xLabel);
    const turned = (words, at) => mark(svg, 'text', 'text', { 'text-anchor': 'middle',
      transform: `translate(14,${at}) rotate(-90)` }, words);
    turned(view.yLabel, (TOP + BOTTOM) / 2);
    turned('rows', (COUNTS_TOP + COUNTS_BOTTOM) / 2);
  };

  const whisker = (group, bin) => {
    const at = (x(bin.low) + x(bin.high)) / 2, cap = Math.min((x(bin.high) - x(bin.low)) / 6, 4);
    const [low, high] = bin.interval.map(y), line = (v) => `M${at - cap} ${v}H${at + cap}`;
    mark(group, 'path', 'whisker', { d: `${line(low)}M${at} ${low}V${high}${line(high)}` });
  };

  const bar = (group, bin, depth, id) => {
    const left = x(bin.low), width = x(bin.high) - left;
    const box = (low, high, more) =>
      ({ x: left, y: y(high), width, height: y(low) - y(high), ...more });
    if (!(bin.weight > 0)) {
      mark(group, 'rect', 'frame', { ...box(0, 1), x: left + 1, width: Math.max(width - 2, 0.5) });
      return;
    }
    const side = bin.confidence > bin.accuracy ? 'over' : 'under';
    const [low, high] = [bin.accuracy, bin.confidence].sort((a, b) => a - b);
    mark(group, 'rect', 'bar', box(0, bin.accuracy, { 'fill-opacity': depth }));
    mark(group, 'rect', 'edge', box(0, bin.accuracy));
    mark(group, 'rect', side, box(low, high, { fill: `url(#${id}-${side})` }));
    if (bin.range)
      mark(group, 'rect', 'band', box(...bin.range, { x: left + width / 4, width: width / 2 }));
    if (bin.interval) whisker(group, bin);
  };

  const counts = (svg, bins, total, fullest, depth) => {
    for (const bin of bins.filter((b) => b.weight > 0)) {
      const high = (COUNTS_BOTTOM - COUNTS_TOP) * bin.weight / total / fullest;
      const left = x(bin.low), width = x(bin.high) - left, inset = width > 4 ? 1 : 0;
      mark(svg, 'rect', 'bar', { x: left + inset, y: COUNTS_BOTTOM - high, width: width - 2 * inset,
        height: high, 'fill-opacity': depth(bin) });
    }
  };

  const mean = (svg, kind, at) =>
    mark(svg, 'line', kind, { x1: x(at), y1: COUNTS_BOTTOM, x2: x(at), y2: COUNTS_TOP });

  // The Tab key stops once at the diagram; arrow keys move between bars.
  const walk = (groups) => groups.forEach((group, i) => {
    group.setAttribute('tabindex', i === groups.length - 1 ? '0' : '-1');
    group.addEventListener('keydown', (event) => {
      const last = groups.length - 1;
      const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: last }[event.key];
      if (to === undefined || !groups[to]) return;
      event.preventDefault();
      groups.forEach((g) => g.setAttribute('tabindex', '-1'));
      groups[to].setAttribute('tabindex', '0');
      groups[to].focus();
    });
  });

  const point = (chart, tip, group, lines) => {
    const show = () => {
      const bounds = chart.getBoundingClientRect(), at = group.getBoundingClientRect();
      tip.textContent = lines.join('\n');
      tip.hidden = false;
      // A diagram is mostly empty above the diagonal.
      const beside = at.right - bounds.left + 8, most = bounds.width - tip.offsetWidth - 8;
      const left = beside < bounds.width / 2 ? Math.min(beside, most) : bounds.width * 0.13;
      tip.style.left = `${left}px`;
      tip.style.top = '14px';
    };
    const hide = () => { tip.hidden = true; };
    for (const event of ['pointerenter', 'focus']) group.addEventListener(event, show);
    for (const event of ['pointerleave', 'blur']) group.addEventListener(event, hide);
    group.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
  };

  const draw = (chart, view, id) => {
    const { bins, numbers } = view, total = sum(bins, (b) => b.weight);
    const fullest = Math.max(...bins.map((b) => b.weight)) / total;
    const depth = (bin) => 0.2 + 0.7 * Math.sqrt(bin.weight / total / fullest);
    const svg = mark(chart, 'svg', 'crd', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH,
      height: HEIGHT, role: 'list', 'aria-label': `${view.yLabel} in ${bins.length} bins` });
    const tip = element('div', { class: 'tip', 'aria-hidden': 'true' });
    mark(svg, 'rect', 'paper', { x: 0, y: 0, width: WIDTH, height: HEIGHT });
    stripes(svg, id);
    axes(svg, view, fullest);
    counts(svg, bins, total, fullest, depth);
    mean(svg, 'accuracy', numbers.accuracy);
    mean(svg, 'confidence', numbers.confidence);
    walk(bins.map((bin) => {
      const lines = words(bin, view);
      const group = mark(svg, 'g', 'bin', { role: 'listitem', 'aria-label': lines.join(', ') });
      bar(group, bin, depth(bin), id);
      mark(group, 'rect', 'hit', { x: x(bin.low), y: TOP, width: x(bin.high) - x(bin.low),
        height: BOTTOM - TOP });
      point(chart, tip, group, lines);
      return group;
    }));
    mark(svg, 'line', 'ideal', { x1: LEFT, y1: BOTTOM, x2: RIGHT, y2: TOP,
      'pointer-events': 'none' });
    tip.hidden = true;
    chart.append(tip);
    return svg;
  };

  const keysOf = ({ xLabel, yLabel }) => [['rect', 'bar', `${yLabel} (darker: more samples)`],
    ['striped', 'over', 'overconfident'], ['striped', 'under', 'underconfident'],
    ['line', 'whisker', '95 % interval'], ['rect', 'band', '95 % if calibrated'],
    ['rect', 'frame', 'empty bin'], ['line', 'ideal', 'calibrated'],
    ['line', 'accuracy', `overall ${yLabel}`], ['line', 'confidence', `mean ${xLabel}`]];

  const key = (id, view) => {
    const list = element('ul', { class: 'key' });
    for (const [shape, kind, label] of keysOf(view)) {
      const item = element('li');
      const svg = mark(item, 'svg', 'crd', { width: 18, height: 12, viewBox: '0 0 18 12',
        'aria-hidden': 'true' });
      if (shape === 'line') mark(svg, 'line', kind, { x1: 0, y1: 6, x2: 18, y2: 6 });
      else mark(svg, 'rect', kind, { x: 1, y: 1, width: 16, height: 10,
        ...(shape === 'striped' ? { fill: `url(#${id}-${kind})` } : {}) });
      item.append(label);
      list.append(item);
    }
    return list;
  };

  // ---- The explorer.

  // The methods of a contest, or the single result, if they have bins.
  const subjectsOf = (data) =>
    (data.methods || [data]).map((m, i) => ({ ...m, first: i === 0 })).filter((m) => m.reliability);

  const metric = (subject, name) =>
    (subject.metrics[name] || subject.metrics[`${name}-top1`] || { value: null }).value;
  const classesOf = (subject) => (subject.profile && subject.profile.classes) || [];
  const temperaturesOf = (subject) => (subject.profile && subject.profile.temperatures) || [];
  const nameOf = (c) => c.name ? `${c.name} (class ${c.number})` : `class ${c.number}`;
  // The fine bins of a choice; null: only the measured bins are available.
  const fineOf = (subject, state) => {
    if (state.class !== null) return classesOf(subject).find((c) => c.number === state.class).bins;
    if (state.point) return state.point.bins;
    return subject.profile && subject.profile.bins ? subject.profile.bins : null;
  };

  const binsOf = (subject, state) => {
    const fine = fineOf(subject, state), own = subject.reliability.length;
    const allowed = fine ? BINS.filter((n) => fine.bins % n === 0) : [];
    const alone = state.class === null && !state.point;
    if (alone || (fine && fine.bins % own === 0)) allowed.push(own);
    return [...new Set(allowed)].sort((a, b) => a - b);
  };

  const viewOf = (subject, state, positive) => {
    const fine = fineOf(subject, state);
    const bins = fine && fine.bins % state.bins === 0 ? regroup(fine, state.bins)
      : measured(subject.reliability);
    const numbers = measure(bins), one = state.class !== null;
    numbers.nll = one ? null : state.point ? state.point.nll : metric(subject, 'nll');
    numbers.brier = one ? null : state.point ? state.point.brier : metric(subject, 'brier');
    return { bins, numbers, xLabel: one || positive ? 'probability' : 'confidence',
      yLabel: one || positive ? 'frequency' : 'accuracy' };
  };

  const fill = (select, options, chosen) => {
    select.replaceChildren(...options.map(([v, text]) => element('option', { value: v }, text)));
    select.value = String(chosen);
    select.disabled = options.length < 2;
  };

  const explore = (root) => {
    const data = JSON.parse(document.getElementById(root.dataset.source).textContent);
    const subjects = subjectsOf(data);
    if (subjects.length === 0) return;
    const control = (name) => root.querySelector(`[data-choice="${name}"]`);
    const chart = root.querySelector('.chart'), why = root.querySelector('.why');
    const id = `${root.dataset.source}-drawn`;
    const slider = control('temperature'), output = root.querySelector('output');
    const points = temperaturesOf(subjects[0]);
    const one = points.findIndex((p) => p.temperature === 1);
    const chosen = Math.max(subjects.findIndex((s) => s.name === root.dataset.chosen), 0);
    const state = { subject: chosen, class: null, bins: subjects[chosen].reliability.length,
      point: null };
    const positive = data.binary === 'pos';
    const whole = positive ? 'positive class (1)' : 'all: predicted class';
    let svg = null;

    const reason = () => {
      if (!subjects[state.subject].first) return 'Applies to uncalibrated probabilities only.';
      return state.class !== null ? 'Not available for single classes.' : '';
    };

    // Choices that cannot be combined are reset, in this order: class, temperature, bins.
    const settle = () => {
      const subject = subjects[state.subject];
      if (!classesOf(subject).some((c) => c.number === state.class)) state.class = null;
      if (reason() || points.length === 0) slider.value = String(one);
      state.point = points.length && Number(slider.value) !== one ? points[slider.value] : null;
      const allowed = binsOf(subject, state);
      if (!allowed.includes(state.bins)) state.bins = allowed.includes(15) ? 15 : allowed[0];
      return allowed;
    };

    const show = ({ numbers, xLabel, yLabel }) => {
      for (const held of root.querySelectorAll('[data-metric]')) {
        const name = { confidence: `mean ${xLabel}`, accuracy: yLabel }[held.dataset.metric];
        if (name) held.previousElementSibling.textContent = name;
        const found = numbers[held.dataset.metric];
        const known = Number.isFinite(found);
        held.textContent = held.dataset.metric === 'rows' ? count(found) : value(found);
        held.dataset.value = known ? String(found) : '';
        held.parentElement.hidden = !known;
      }
    };

    const update = () => {
      const allowed = settle(), subject = subjects[state.subject];
      const classes = classesOf(subject).map((c) => [c.number, nameOf(c)]);
      if (control('method')) control('method').value = String(state.subject);
      fill(control('class'), [['', whole], ...classes], state.class === null ? '' : state.class);
      fill(control('bins'), allowed.map((n) => [n, n]), state.bins);
      slider.disabled = points.length === 0 || reason() !== '';
      control('reset').disabled = slider.disabled || !state.point;
      const shown = points.length ? points[slider.value].temperature : 1;
      output.textContent = `T = ${shown}`;
      slider.setAttribute('aria-valuetext', output.textContent);
      why.textContent = points.length ? reason() : '';
      const view = viewOf(subject, state, positive);
      show(view);
      root.querySelector('.key').replaceWith(key(id, view));
      chart.replaceChildren();
      svg = draw(chart, view, id);
    };

    const on = (name, event, act) => control(name) &&
      control(name).addEventListener(event, (e) => { act(e.target.value); update(); });
    on('method', 'change', (v) => { state.subject = Number(v); });
    on('class', 'change', (v) => { state.class = v === '' ? null : Number(v); });
    on('bins', 'change', (v) => { state.bins = Number(v); });
    on('temperature', 'input', () => {});
    on('reset', 'click', () => { slider.value = String(one); });
    const label = (s, i) => i === chosen && i > 0 ? `${s.name} (chosen)` : s.name;
    if (control('method')) fill(control('method'), subjects.map((s, i) => [i, label(s, i)]), chosen);
    slider.min = '0';
    slider.max = String(Math.max(points.length - 1, 0));
    slider.value = String(one);
    slider.closest('.choice').hidden = points.length === 0;
    control('class').closest('.choice').hidden = classesOf(subjects[0]).length === 0;
    root.querySelector('.choices').hidden = false;
    root.querySelector('.side').append(element('ul', { class: 'key' }),
      button('Save as SVG', () => saveDrawing(svg, 'reliability')));
    update();
  };

  // ---- Figures, tables, data.

  // A drawing saved to its own file needs the page's style classes.
  const saveDrawing = (svg, name) => {
    const copy = svg.cloneNode(true);
    if (!copy.querySelector('style')) {
      const style = document.createElementNS(SVG, 'style');
      style.textContent = document.querySelectorAll('head style')[1].textContent +
        '.hit{fill-opacity:0}';
      copy.prepend(style);
    }
    save(`${name}.svg`, 'image/svg+xml', new XMLSerializer().serializeToString(copy));
  };

  const comparable = (cell) => 'value' in cell.dataset ? Number(cell.dataset.value)
    : cell.classList.contains('number') ? null : cell.textContent;

  const sort = (table, column, ascending) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, held: comparable(row.cells[column]) }));
    rows.sort((a, b) => {
      if (a.held === null || b.held === null) return (a.held === null) - (b.held === null);
      const order = typeof a.held === 'number' ? a.held - b.held : a.held.localeCompare(b.held);
      return ascending ? order : -order;
    });
    body.append(...rows.map((r) => r.row));
  };

  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const words = head.textContent;
      head.setAttribute('aria-sort', 'none');
      head.replaceChildren(button(words, () => {
        const ascending = head.getAttribute('aria-sort') !== 'ascending';
        heads.forEach((h) => h.setAttribute('aria-sort', 'none'));
        head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
        sort(table, column, ascending);
      }));
    });
  };

  const copyable = (block) => {
    const text = block.textContent;
    block.prepend(button('Copy', (self) => {
      const say = (text) => { self.textContent = text; };
      const fail = () => say('Cannot copy here');
      if (!navigator.clipboard) fail();
      else navigator.clipboard.writeText(text).then(() => say('Copied'), fail);
    }));
  };

  // The bytes that the program writes: \u escapes made for HTML are undone.
  const original = (text) => text.trimStart().replace(/\\\\|\\u(003c|003e|0026|2028|2029)/g,
    (all, code) => code ? String.fromCharCode(parseInt(code, 16)) : all);

  const downloadable = (line) => {
    const source = document.getElementById(line.dataset.download);
    line.append(' ', button('Download', () =>
      save(`${line.dataset.download}.json`, 'application/json', original(source.textContent))));
  };

  const all = (selector, act) => document.querySelectorAll(selector).forEach(act);
  all('table.sortable', sortable);
  all('[data-copy]', copyable);
  all('[data-download]', downloadable);
  all('figcaption[data-file]', (caption) => caption.append(button('Save as SVG', () =>
    saveDrawing(caption.parentElement.querySelector('svg'), caption.dataset.file))));
  all('.explore', explore);
})();
