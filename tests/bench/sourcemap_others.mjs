// sourcemap_others.mjs MAP -- seconds of the processor the packages of others need to read all tokens of a map, as JSON.
import fs from 'fs';
import { createRequire } from 'module';

const need = createRequire(process.env.NODE_PATH + '/');
const text = fs.readFileSync(process.argv[2], 'utf8');
const told = {};
const timed = async (name, run) => {
    try {
        const before = process.cpuUsage();
        await run();
        const used = process.cpuUsage(before);
        told[name] = (used.user + used.system) / 1e6;
    } catch (error) {
        told[name] = null;
    }
};
await timed('trace-mapping', () => {
    const { TraceMap, decodedMappings } = need('@jridgewell/trace-mapping');
    decodedMappings(new TraceMap(text));
});
await timed('source-map', async () => {
    const consumer = await new (need('source-map').SourceMapConsumer)(text);
    consumer.eachMapping(() => {});
});
console.log(JSON.stringify(told));
