import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Account, createTestClient, type Hex, http, publicActions, walletActions } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { mainnet } from 'viem/chains';

/** A local chain (anvil of Foundry, from npm) of this test alone. */
export type Anvil = Awaited<ReturnType<typeof startAnvil>>;

const START_LIMIT_MS = 60_000;
const MNEMONIC = 'test test test test test test test test test test test junk';

/** Starts a chain without blocks. Each transaction is a block of its own. */
export async function startAnvil({ chainId = 31_337 }: { chainId?: number } = {}) {
  const args = [
    '--port',
    '0',
    '--chain-id',
    String(chainId),
    '--accounts',
    '1',
    '--mnemonic',
    MNEMONIC,
    '--hardfork',
    'prague',
  ];
  const child = spawn(findAnvil(), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => fail(`anvil did not start: ${output}`), START_LIMIT_MS);
    const read = (chunk: Buffer) => {
      output += chunk;
      const found = /Listening on 127\.0\.0\.1:(\d+)/.exec(output);
      if (found === null) return;
      clearTimeout(timer);
      resolve(Number(found[1]));
    };
    const fail = (message: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(message));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', (error) => fail(String(error)));
    child.once('exit', () => fail(`anvil ended: ${output}`));
  });
  const url = `http://127.0.0.1:${port}`;
  const account: Account = mnemonicToAccount(MNEMONIC);
  const client = createTestClient({
    mode: 'anvil',
    account,
    chain: { ...mainnet, id: chainId },
    transport: http(url),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
  return {
    url,
    chainId,
    client,
    /** Sends a transaction and waits until it has succeeded. */
    send: async (transaction: { to?: Hex; data: Hex; authorizationList?: unknown[] }) => {
      const hash = await client.sendTransaction(transaction as Parameters<typeof client.sendTransaction>[0]);
      const receipt = await client.waitForTransactionReceipt({ hash });
      if (receipt.status !== 'success') throw new Error(`the transaction ${hash} has failed`);
      return receipt;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function findAnvil(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const { resolve } = createRequire(import.meta.url);
  const manifest = resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/package.json`);
  return join(dirname(manifest), 'bin', 'anvil');
}
