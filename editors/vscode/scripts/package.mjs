// Makes the package of one platform, with the server in it.
//
//   npm run package -- --target linux-x64 [--server FILE] [--out DIRECTORY]
//   npm run package -- --all [--out DIRECTORY]
//
// Without --server, the server is built by cargo as a release, for which Rust's standard library of
// that platform must be installed, and a linker. --all makes every package for which they are, and
// says for which they are not.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The platforms of VS Code, and what Rust calls them. */
const TARGETS = {
  'alpine-arm64': 'aarch64-unknown-linux-musl',
  'alpine-x64': 'x86_64-unknown-linux-musl',
  'darwin-arm64': 'aarch64-apple-darwin',
  'darwin-x64': 'x86_64-apple-darwin',
  'linux-arm64': 'aarch64-unknown-linux-gnu',
  'linux-armhf': 'armv7-unknown-linux-gnueabihf',
  'linux-x64': 'x86_64-unknown-linux-gnu',
  'win32-arm64': 'aarch64-pc-windows-msvc',
  'win32-x64': 'x86_64-pc-windows-msvc',
};

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    all: { type: 'boolean', default: false },
    server: { type: 'string' },
    out: { type: 'string', default: '.' },
  },
});

const extension = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const repository = above(extension, 'Cargo.toml');

if (values.all) {
  let failed = 0;
  for (const target of Object.keys(TARGETS)) {
    try {
      console.log(`${target}: ${make(target, build(target))}`);
    } catch (error) {
      failed += 1;
      console.log(`${target}: not made: ${error.message.split('\n', 1)[0]}`);
    }
  }
  process.exitCode = failed === Object.keys(TARGETS).length ? 1 : 0;
} else if (values.target in TARGETS) {
  console.log(make(values.target, values.server ?? build(values.target)));
} else {
  console.error(`--target is to be one of ${Object.keys(TARGETS).join(', ')}`);
  process.exitCode = 2;
}

/** Packs the extension with this binary, and returns the package's path. */
function make(target, binary) {
  const server = path.join(extension, 'server');
  fs.rmSync(server, { recursive: true, force: true });
  fs.mkdirSync(server);
  const name = target.startsWith('win32') ? 'gantrycd-ls.exe' : 'gantrycd-ls';
  fs.copyFileSync(binary, path.join(server, name));
  fs.chmodSync(path.join(server, name), 0o755);
  const licences = ['LICENSE-MIT', 'LICENSE-APACHE'].map(it => fs.readFileSync(path.join(repository, it), 'utf8'));
  fs.writeFileSync(path.join(extension, 'LICENSE'), `MIT or Apache 2.0, as you like.\n\n${licences.join('\n\n')}`);
  const { version } = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
  const out = path.resolve(values.out, `gantrycd-${target}-${version}.vsix`);
  fs.mkdirSync(path.dirname(out), { recursive: true });
  const vsce = path.join(extension, 'node_modules/@vscode/vsce/vsce');
  run(process.execPath, [
    ...[vsce, 'package', '--target', target, '--out', out],
    ...['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'],
  ]);
  fs.rmSync(server, { recursive: true });
  fs.rmSync(path.join(extension, 'LICENSE'));
  return out;
}

/** Builds the server of a platform, and returns its path. */
function build(target) {
  const triple = TARGETS[target];
  const library = run('rustc', ['--print', 'target-libdir', '--target', triple]).trim();
  if (!fs.existsSync(library)) {
    throw new Error(`Rust's standard library of ${triple} is not installed`);
  }
  run('cargo', ['build', '--release', '--locked', '--target', triple, '--bin', 'gantrycd-ls']);
  const { target_directory } = JSON.parse(run('cargo', ['metadata', '--no-deps', '--format-version', '1']));
  const name = triple.includes('windows') ? 'gantrycd-ls.exe' : 'gantrycd-ls';
  return path.join(target_directory, triple, 'release', name);
}

function run(command, args) {
  const cwd = command === process.execPath ? extension : repository;
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The nearest directory above that holds a file. */
function above(directory, file) {
  if (fs.existsSync(path.join(directory, file))) {
    return directory;
  }
  const parent = path.dirname(directory);
  if (parent === directory) {
    throw new Error(`no directory above holds ${file}`);
  }
  return above(parent, file);
}
