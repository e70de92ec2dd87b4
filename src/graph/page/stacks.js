// What the page's script begins with: the drawing's elements, and who has to do with whom. It asks
// for nothing from anywhere, and makes elements of texts, never of markup.

const { graph, root, links } = JSON.parse(document.getElementById('graph').textContent);
// in a webview of VS Code, the editor opens sources
const editor = typeof acquireVsCodeApi === 'function' ? acquireVsCodeApi() : null;

const byId = (id) => document.getElementById(id);
const picture = byId('picture');
const view = byId('view');
const panel = byId('panel');
const search = byId('search');
const found = byId('found');
const nodes = [...picture.querySelectorAll('.stack')];
const reads = [...picture.querySelectorAll('.reads')];
const shared = [...picture.querySelectorAll('.duplicate')];

const numbers = new Map(graph.stacks.map((it, at) => [it.name, at]));
const about = graph.stacks.map(() => ({ owners: [], readers: [], lines: [], duplicates: [] }));
graph.dependencies.forEach((it, at) => {
  about[numbers.get(it.reader)].owners.push(at);
  about[numbers.get(it.owner)].readers.push(at);
});
graph.duplicate_lines.forEach((it, at) => {
  it.stacks.forEach((name) => about[numbers.get(name)].lines.push(at));
});
graph.duplicates.forEach((it, at) => {
  for (const name of new Set(it.claims.map((claim) => claim.stack))) {
    // of stacks that are not shown there is no place to tell it
    if (numbers.has(name)) about[numbers.get(name)].duplicates.push(at);
  }
});
const ownerOf = (at) => numbers.get(graph.dependencies[at].owner);
const readerOf = (at) => numbers.get(graph.dependencies[at].reader);
