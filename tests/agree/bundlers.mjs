// bundlers.mjs OUT [TOOL] -- source maps of every tool that is found in NODE_PATH, of a small project and of acorn's source.
// Maps that lie in the code (inline, eval) are taken out of it. Says which tools there were, as JSON.
import fs from 'fs';
import path from 'path';
import { execFileSync } from 'child_process';
import { createRequire } from 'module';

const need = createRequire(path.resolve(process.env.NODE_PATH) + '/');
const out = path.resolve(process.argv[2]);
const made = {};

const PROJECT = {
    'greet.ts': `export interface Named { readonly name: string }
export class Greeter<T extends Named> {
  #count = 0;
  static made = 0;
  static { Greeter.made++; }
  constructor(private readonly who: T) {}
  get count(): number { return this.#count; }
  async greet(words: string = 'hello'): Promise<string> {
    this.#count += 1;
    const { name } = this.who;
    return \`\${words}, \${name ?? 'nobody'}\`;
  }
  *each(): Generator<number> { for (let i = 0; i < this.#count; i++) yield i; }
}
`,
    'index.ts': `import { Greeter, type Named } from './greet';
const ümläut: Named = { name: '𝒳 und 🎉' };
export const greeter = new Greeter(ümläut);
export async function main(times: number) {
  for (let i = 0; i < times; i++) console.log(await greeter.greet(i % 2 ? undefined : 'hi'));
  try { throw new TypeError('no'); } catch { return [...greeter.each()].map((x) => x ** 2); }
}
main(3).then((all) => console.log(all?.length));
`,
};

const keep = (tool, name, map) => {
    if (!map) return;
    const text = typeof map === 'string' ? map : JSON.stringify(map);
    fs.writeFileSync(path.join(out, `${tool}-${name}.map`), text);
    made[tool] = (made[tool] ?? 0) + 1;
};

// Every map inside of a text, also in a string that eval is given.
const inside = (tool, name, text) => {
    const all = text.matchAll(/sourceMappingURL=data:application\/json;charset=utf-8;base64,([A-Za-z0-9+/=]+)/g);
    let number = 0;
    for (const match of all) keep(tool, `${name}-${number++}`, Buffer.from(match[1], 'base64').toString());
};

const attempt = async (tool, run) => {
    if (process.argv[3] && process.argv[3] !== tool) return;
    try {
        await run();
    } catch (error) {
        if (error.code !== 'MODULE_NOT_FOUND' || made[tool]) throw error;
    }
};

const project = path.join(out, 'project');
fs.mkdirSync(project, { recursive: true });
for (const [name, text] of Object.entries(PROJECT)) fs.writeFileSync(path.join(project, name), text);
const acorn = fs.readFileSync(need.resolve('acorn').replace(/acorn\.js$/, 'acorn.mjs'), 'utf8');
const inputs = { ...PROJECT, 'acorn.mjs': acorn };

await attempt('swc', () => {
    const swc = need('@swc/core');
    for (const [name, text] of Object.entries(inputs))
        for (const minify of [false, true])
            keep('swc', `${name}${minify ? '.min' : ''}`, swc.transformSync(text, {
                filename: name, sourceMaps: true, minify, isModule: true,
                jsc: { parser: { syntax: 'typescript' }, target: minify ? 'es5' : 'es2022', minify: minify ? { mangle: true, compress: true } : undefined },
            }).map);
});
await attempt('typescript', () => {
    const ts = need('typescript');
    for (const [name, text] of Object.entries(inputs))
        for (const target of ['ES5', 'ES2022'])
            keep('typescript', `${name}-${target}`, ts.transpileModule(text, {
                fileName: name.replace(/\.mjs$/, '.js'), compilerOptions: { sourceMap: true, inlineSources: true, target: ts.ScriptTarget[target], module: 1, allowJs: true },
            }).sourceMapText);
});
await attempt('babel', () => {
    const babel = need('@babel/core');
    const presets = [[need.resolve('@babel/preset-env'), { targets: 'ie 11' }]];
    for (const compact of [false, true])
        keep('babel', `acorn${compact ? '-compact' : ''}`, babel.transformSync(acorn, { filename: 'acorn.mjs', sourceMaps: true, compact, presets, configFile: false }).map);
});
await attempt('terser', async () => {
    keep('terser', 'acorn', (await need('terser').minify({ 'acorn.mjs': acorn }, { module: true, toplevel: true, sourceMap: { includeSources: true } })).map);
});
await attempt('esbuild', () => {
    const result = need('esbuild').buildSync({ entryPoints: [path.join(project, 'index.ts')], bundle: true, minify: true, sourcemap: 'external', write: false, outdir: out });
    keep('esbuild', 'project', result.outputFiles.find((f) => f.path.endsWith('.map')).text);
});
await attempt('webpack', async () => {
    const webpack = need('webpack');
    const kinds = [];
    for (const base of ['source-map', 'nosources-source-map', 'cheap-source-map', 'cheap-module-source-map', 'nosources-cheap-source-map', 'nosources-cheap-module-source-map'])
        for (const way of ['', 'inline-', 'hidden-', 'eval-']) kinds.push(way + base);
    for (const devtool of kinds) {
        const folder = path.join(out, 'webpack-' + devtool);
        const stats = await new Promise((resolve, reject) => webpack({
            mode: devtool.startsWith('eval') ? 'development' : 'production', devtool, context: project,
            optimization: { minimize: devtool === 'source-map' },
            entry: need.resolve('acorn').replace(/acorn\.js$/, 'acorn.mjs'), output: { path: folder, filename: 'bundle.js' }, cache: false,
        }, (error, told) => (error ? reject(error) : resolve(told))));
        if (stats.hasErrors()) throw new Error(stats.toString());
        for (const file of fs.readdirSync(folder)) {
            const text = fs.readFileSync(path.join(folder, file), 'utf8');
            if (file.endsWith('.map')) keep('webpack', devtool, text);
            else inside('webpack', devtool, text);
        }
    }
});
// As React Native's programs are made: Metro's bundle, and of that Hermes's bytecode.
const REACT = {
    'greet.js': `export class Greeter {
  constructor(who) { this.who = who; this.count = 0; }
  greet(words) { this.count += 1; const { name } = this.who; return \`\${words}, \${name || 'nobody'}\`; }
  each() { const all = []; for (let i = 0; i < this.count; i++) all.push(i); return all; }
}
`,
    'index.js': `import { Greeter } from './greet';
const ümläut = { name: '𝒳 und 🎉' };
export const greeter = new Greeter(ümläut);
export function main(times) {
  for (let i = 0; i < times; i++) console.log(greeter.greet(i % 2 ? undefined : 'hi'));
  try { throw new TypeError('no'); } catch (e) { return greeter.each().map((x) => x * x); }
}
main(3);
`,
};
const hermes = (folder, name, code) => {
    const compiler = path.join(path.dirname(need.resolve('hermes-engine/package.json')), 'linux64-bin', 'hermesc');
    const bundle = path.join(folder, `${name}.js`), bytes = path.join(folder, `${name}.hbc`);
    fs.writeFileSync(bundle, code);
    execFileSync(compiler, ['-O', '-w', '-emit-binary', '-output-source-map', '-out', bytes, bundle]);
    keep('hermes', name, fs.readFileSync(`${bytes}.map`, 'utf8'));
};
await attempt('metro', async () => {
    const metro = need('metro');
    const folder = path.join(out, 'metro');
    fs.mkdirSync(folder);
    for (const [name, text] of Object.entries(REACT)) fs.writeFileSync(path.join(folder, name), text);
    fs.writeFileSync(path.join(folder, 'babel.config.js'),
        `module.exports = { presets: [['${need.resolve('@babel/preset-env')}', { targets: { ie: '11' } }]] };`);
    const modules = path.resolve(process.env.NODE_PATH);
    const config = await metro.loadConfig({ cwd: folder }, {
        projectRoot: folder, watchFolders: [folder, modules], cacheStores: [], maxWorkers: 1, reporter: { update() {} },
        resolver: { useWatchman: false, nodeModulesPaths: [modules] },
        transformer: { babelTransformerPath: need.resolve('metro-babel-transformer'), minifierPath: need.resolve('metro-minify-terser') },
    });
    for (const minify of [false, true]) {
        const name = minify ? 'minified' : 'plain';
        const built = await metro.runBuild(config, {
            entry: 'index.js', minify, dev: !minify, sourceMap: true, sourceMapUrl: 'bundle.map', out: path.join(folder, name),
        });
        keep('metro', name, built.map);
        await attempt('hermes', () => hermes(folder, name, built.code));
    }
});
// Metro leaves timers behind.
process.stdout.write(JSON.stringify(made) + '\n', () => process.exit(0));
