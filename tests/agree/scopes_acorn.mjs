// scopes_acorn.mjs -- the scopes of JavaScript files by acorn's tree, printed as tests/ecmascript/dump_scopes does.
//
// usage: NODE_PATH=... node scopes_acorn.mjs FILE...
// The names follow doc/formats/ecmascript.md, walking outwards over the tree of each function.
import { createRequire } from "node:module";
import fs from "node:fs";
const require = createRequire(process.env.NODE_PATH + "/");
const acorn = require("acorn");

function parse(text) {
  const options = { ecmaVersion: "latest", allowHashBang: true, allowReturnOutsideFunction: true, allowSuperOutsideMethod: true,
                    allowImportExportEverywhere: false, preserveParens: true };
  let failure;
  for (const sourceType of ["module", "script"]) {
    try { return acorn.parse(text, { ...options, sourceType }); } catch (error) { failure ??= error; }
  }
  throw failure;
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const number = value => {
  if (!Number.isFinite(value)) return "inf";
  const text = String(value), match = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const digits = match[1] + (match[2] ?? ""), exponent = Number(match[3]);
  return exponent < 0 ? "0." + "0".repeat(-exponent - 1) + digits : digits.padEnd(exponent + 1, "0");
};
const lone = text => text.replace(/\p{Surrogate}/gu, c => `\\u{${c.charCodeAt(0).toString(16).toUpperCase()}}`);
const big = node => String(BigInt(node.bigint.replaceAll("_", ""))) + "n";
function key(node, computed) {                  // its components
  if (computed) return ["<computed>"];
  if (node.type === "Identifier") return [node.name];
  if (node.type === "PrivateIdentifier") return ["#", node.name];
  if (typeof node.value === "string") return [`<"${lone(node.value)}">`];
  if (node.bigint) return [`<${big(node)}>`];
  return [`<${number(node.value)}>`];
}
function bracket(node) {
  if (node.type === "Identifier") return ["[", node.name, "]"];
  if (node.type !== "Literal") return ["[<computed>]"];
  if (typeof node.value === "string") return [`["${lone(node.value)}"]`];
  if (node.regex) return [`[/${node.regex.pattern}/${node.regex.flags}]`];
  if (node.bigint) return [`[${big(node)}]`];
  return [typeof node.value === "number" ? `[${number(node.value)}]` : `[${node.value}]`];
}
function target(node) {                         // components, or null: not nameable
  if (node.type === "Identifier") return [node.name];
  if (node.type === "ThisExpression") return ["this"];
  if (node.type !== "MemberExpression" || node.optional) return null;
  const object = target(node.object);
  if (!object) return null;
  if (node.computed) return [...object, ...bracket(node.property)];
  return node.property.type === "PrivateIdentifier" ? object : [...object, ".", node.property.name];
}
const isAccessor = node => node.kind === "get" || node.kind === "set";

// `path`: the nodes around, outermost first, with the member each hangs on.
function walk(path, begin) {
  let parts = [], kind = "", object = false, i = begin;
  const sep = () => { if (parts.length) parts.unshift("."); };
  const end = () => { if (kind) parts.unshift(kind + " "); return parts; };
  const endFunction = () => { if (object && parts.length) parts.unshift("<object>."); return end(); };
  for (; i >= 0; i--) {
    const { node, slot } = path[i], own = i === begin;
    const parent = i > 0 ? path[i - 1] : null;
    if (FUNCTIONS.has(node.type)) {
      if (own) continue;
      if (parent?.node.type === "Property" && isAccessor(parent.node)) continue;
      if (slot === "id") continue;
      return endFunction();
    }
    if (node.type === "ClassDeclaration" && node.id && !node.isDefault) { sep(); parts.unshift(node.id.name); return end(); }
    if ((node.type === "ClassExpression" || node.type === "ClassDeclaration") && node.id) { sep(); parts.unshift(node.id.name); continue; }
    if (node.type === "MethodDefinition") {
      const inside = path[i + 1];
      if (node.kind === "constructor") continue;                 // its function ends the walk
      if (inside && !(inside.slot === "value" || inside.slot === "key")) continue;
      parts.unshift(...key(node.key, node.computed));
      if (isAccessor(node) && node.key.type !== "PrivateIdentifier") kind = node.kind;
      continue;
    }
    if (node.type === "Property" && parent?.node.type === "ObjectExpression") {
      if (isAccessor(node)) continue;
      if (node.method) { sep(); parts.unshift(...key(node.key, node.computed)); continue; }
      if (path[i + 1]?.slot === "key") continue;
      if (!node.computed && node.key.type === "Identifier" && !node.shorthand) { sep(); parts.unshift(node.key.name); }
      continue;
    }
    if (node.type === "VariableDeclarator") {
      if (node.id.type === "Identifier") { sep(); parts.unshift(node.id.name); return end(); }
      continue;
    }
    if (node.type === "AssignmentExpression") {
      if (node.left.type === "Identifier") { sep(); parts.unshift(node.left.name); return end(); }
      const names = node.left.type === "MemberExpression" ? target(node.left) : null;
      if (names) { parts.unshift(...names); return end(); }
      continue;
    }
    if (node.type === "ObjectExpression") object = true;
  }
  return endFunction();
}

function own(parts, node) {
  if (!node.id) return parts;
  return parts.length ? [...parts.slice(0, -1), node.id.name] : [node.id.name];
}

function scopes(text) {
  const found = [], path = [];
  const add = (node, parts) => found.push([node.start, node.end, parts.join("") || "-"]);
  function visit(node, slot) {
    if (node.type === "ExportDefaultDeclaration" && node.declaration.type === "ClassDeclaration")
      node.declaration.isDefault = true;
    path.push({ node, slot });
    const at = path.length - 1, parent = at > 0 ? path[at - 1].node : null;
    if (FUNCTIONS.has(node.type) && slot !== "method") {
      if (parent.type === "MethodDefinition" && slot === "value") {
        if (parent.kind !== "constructor") add(parent, walk(path, at));
      } else if (parent.type === "Property" && slot === "value" && isAccessor(parent)) {
        let parts = walk(path, at - 2);
        if (parts.length) parts = [...parts, "."];
        add(parent, [parent.kind + " ", ...parts, ...key(parent.key, parent.computed)]);
      } else if (parent.type === "Property" && slot === "value" && parent.method) {
        add(parent, walk(path, at));
      } else {
        add(node, own(walk(path, at), node));
      }
    }
    if (node.type === "ClassDeclaration" || node.type === "ClassExpression") {
      let parts = own(walk(path, at), node);
      if (parts.length) parts = ["new ", ...parts];
      add(node, parts);
    }
    for (const name of Object.keys(node)) {
      const value = node[name];
      if (node.type === "Property" && node.shorthand && name === "key") continue;
      if (Array.isArray(value)) { for (const one of value) if (one?.type) visit(one, name); }
      else if (value?.type && typeof value.type === "string") visit(value, name);
    }
    path.pop();
  }
  visit(parse(text), "");
  return found.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
}

for (const file of process.argv.slice(2)) {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(fs.readFileSync(file));
  let found;
  try { found = scopes(text); } catch (error) { console.log(`=\t${file}\t-1\t0\t${error.message}`); continue; }
  const offsets = /[^\0-\x7f]/.test(text) ? byteOffsets(text) : null;
  const byte = at => offsets ? offsets[at] : at;
  const out = [`=\t${file}\t0\t0\t`];
  for (const [start, end, name] of found) out.push(`${byte(start)}\t${byte(end)}\t${name}`);
  console.log(out.join("\n"));
}

function byteOffsets(text) {
  const offsets = new Uint32Array(text.length + 1);
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    offsets[i] = at;
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00) { offsets[i + 1] = at; at += 4; i++; }
    else at += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  offsets[text.length] = at;
  return offsets;
}
