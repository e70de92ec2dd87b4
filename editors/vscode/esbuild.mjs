// Bundles the extension, and with --tests what runs inside the editor to test it.
import { build } from 'esbuild';

const tests = process.argv.includes('--tests');
await build({
  entryPoints: tests ? { tests: 'test/inside.ts' } : { extension: 'src/extension.ts' },
  outdir: tests ? 'out' : 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
  minify: !tests,
  sourcemap: tests,
  logLevel: 'warning',
});
