// The textbook way to plan a drain: for each key, score all nodes and sort them,
// once with the node and once without, and compare the best two. Prints millions of
// keys a CPU-second.
'use strict';

const NODES = 64, COPIES = 2, DRAINED = 17, KEYS = 20000;

function fnv1a(text) {
	let h = 0x811c9dc5;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	return h >>> 0;
}

function fmix32(h) {
	h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
	h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
	return (h ^ (h >>> 16)) >>> 0;
}

function best(nodes, key) {
	return nodes
		.map((node) => ({ node, score: fmix32(node.hash ^ key) }))
		.sort((a, b) => b.score - a.score)
		.slice(0, COPIES)
		.map((scored) => scored.node);
}

const before = [];
for (let i = 0; i < NODES; i++)
	before.push({ hash: fnv1a('node-' + i), lost: 0, gained: 0 });
const after = before.filter((node, i) => i !== DRAINED);

function plan(keys) {
	for (let i = 0; i < keys; i++) {
		const key = fnv1a('photo-' + String(i % 4096).padStart(4, '0'));
		const was = best(before, key), is = best(after, key);
		for (const node of was)
			if (!is.includes(node))
				node.lost++;
		for (const node of is)
			if (!was.includes(node))
				node.gained++;
	}
}

plan(KEYS / 4); // compiled by now
const start = process.cpuUsage();
plan(KEYS);
const used = process.cpuUsage(start);
console.log(KEYS / (used.user + used.system));
