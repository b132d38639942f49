// Compiles the test contracts, and writes bytecode.json. README.md says how to run it.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';

const here = import.meta.dirname;
// The directory in which the packages of README.md are installed.
const require = createRequire(join(argv[2] ?? here, 'x.js'));
const packageFile = (name, path) => join(dirname(require.resolve(`${name}/package.json`)), path);
const hashOf = (text) => createHash('sha256').update(text).digest('hex');

const SOURCES = ['Wallets.sol', 'Erc7739Wallet.sol', 'UniversalResolver.sol'];
const OWN = [
  'MinimalWallet',
  'WalletFactory',
  'DelegatedAccount',
  'HostileWallet',
  'Erc7739Wallet',
  'UniversalResolver',
];
const SAFE = {
  Safe: 'contracts/Safe.sol',
  SafeProxyFactory: 'contracts/proxies/SafeProxyFactory.sol',
  CompatibilityFallbackHandler: 'contracts/handler/CompatibilityFallbackHandler.sol',
};

const bytecode = {
  ...compile(
    require('solc'),
    Object.fromEntries(SOURCES.map((file) => [file, readFileSync(join(here, file), 'utf8')])),
    { optimizer: { enabled: true, runs: 200 }, evmVersion: 'prague' },
    (path) => packageFile('solady', path.replace(/^solady\//, 'src/')),
    OWN,
  ),
  ...compileSafe(),
};

const sources = Object.fromEntries(
  SOURCES.map((file) => [file, hashOf(readFileSync(join(here, file), 'utf8'))]),
);
writeFileSync(join(here, 'bytecode.json'), `${JSON.stringify({ sources, bytecode }, null, 2)}\n`);

// Compiles the source in the package of Safe as Safe did, and checks that this gives what Safe has published.
function compileSafe() {
  const readJson = (path) =>
    JSON.parse(readFileSync(packageFile('@safe-global/safe-contracts', path), 'utf8'));
  const { buildInfo } = readJson('build/artifacts/contracts/Safe.sol/Safe.dbg.json');
  const { settings, sources } = readJson(join('build/artifacts/contracts/Safe.sol', buildInfo)).input;
  for (const [file, { content }] of Object.entries(sources)) {
    const isImported = !file.startsWith('contracts/');
    if (!isImported && content !== readFileSync(packageFile('@safe-global/safe-contracts', file), 'utf8')) {
      throw new Error(`${file} is not the file that Safe has compiled`);
    }
  }
  const files = Object.fromEntries(Object.entries(sources).map(([file, { content }]) => [file, content]));
  const compiled = compile(require('solc-0.7'), files, settings, () => '', Object.keys(SAFE));
  for (const [name, file] of Object.entries(SAFE)) {
    const { bytecode } = readJson(`build/artifacts/${file}/${name}.json`);
    if (bytecode !== compiled[name]) throw new Error(`${name} is not the published one`);
  }
  return compiled;
}

function compile(solc, files, settings, findFile, names) {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(files).map(([file, content]) => [file, { content }])),
    settings: { ...settings, outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  };
  const read = (path) => ({ contents: readFileSync(findFile(path), 'utf8') });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  const compiled = Object.assign({}, ...Object.values(output.contracts));
  return Object.fromEntries(names.map((name) => [name, `0x${compiled[name].evm.bytecode.object}`]));
}
