// scopes_others.mjs -- how fast acorn and tree-sitter parse a JavaScript file, as JSON: bytes per second of CPU time.
//
// usage: NODE_PATH=DIR/node_modules node scopes_others.mjs FILE      a parser that is not there is null
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const require = createRequire(path.resolve(process.env.NODE_PATH, "x"));
const text = fs.readFileSync(process.argv[2], "utf8"), ROUNDS = 4;

function rate(parse) {
  let best = Infinity;
  for (let i = 0; i < ROUNDS; i++) {
    const before = process.cpuUsage();
    parse();
    const spent = process.cpuUsage(before);
    best = Math.min(best, (spent.user + spent.system) / 1e6);
  }
  return Math.round(text.length / best);
}

function acorn() {
  const { parse } = require("acorn");
  return rate(() => parse(text, { ecmaVersion: "latest", sourceType: "module" }));
}

function treeSitter() {
  const Parser = require("tree-sitter"), parser = new Parser(), CHUNK = 30000;
  parser.setLanguage(require("tree-sitter-javascript"));
  return rate(() => parser.parse(at => at < text.length ? text.slice(at, at + CHUNK) : null));
}

const rates = {};
for (const [name, measure] of [["acorn", acorn], ["tree-sitter", treeSitter]]) {
  try { rates[name] = measure(); } catch (error) { rates[name] = null; }
}
console.log(JSON.stringify(rates));
