/** A call of `request` (EIP-1193). */
export interface WalletCall {
  method: string;
  params?: readonly unknown[];
}

export type WalletReply = { result: unknown } | { error: { code: number; message: string } };

/**
 * Runs in the page before its own scripts: sets `window.ethereum`, unless another wallet has set it, and
 * announces the wallet (EIP-6963) if `isAnnounced` is true. The wallet passes every request to the test
 * process, where the keys are, through the function `bindingName` of the page. Playwright sends the source of
 * `addWalletToPage` to the browser, so it uses nothing outside itself.
 */
export function addWalletToPage({
  bindingName,
  uuid,
  name,
  isAnnounced,
}: {
  bindingName: string;
  uuid: string;
  name: string;
  isAnnounced: boolean;
}): void {
  type Listener = (value: unknown) => void;
  const page = window as unknown as Record<string, unknown>;
  const callWallet = page[bindingName] as (call: WalletCall) => Promise<WalletReply>;
  const wrappers = new Map<Listener, EventListener>();
  const provider = {
    isMetaMask: true,
    async request({ method, params }: WalletCall): Promise<unknown> {
      const reply = await callWallet(params === undefined ? { method } : { method, params });
      if ('result' in reply) return reply.result;
      throw Object.assign(new Error(reply.error.message), { code: reply.error.code });
    },
    on(event: string, listener: Listener) {
      const wrapper = (dispatched: Event) => listener((dispatched as CustomEvent<unknown>).detail);
      wrappers.set(listener, wrapper);
      window.addEventListener(`${bindingName}:${event}`, wrapper);
      return provider;
    },
    removeListener(event: string, listener: Listener) {
      const wrapper = wrappers.get(listener);
      if (wrapper !== undefined) window.removeEventListener(`${bindingName}:${event}`, wrapper);
      return provider;
    },
  };
  page.ethereum ??= provider;
  if (!isAnnounced) return;
  const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="14" fill="#f6851b"/></svg>')}`;
  const info = Object.freeze({ uuid, name, icon, rdns: 'org.example.test-wallet' });
  const announce = () =>
    window.dispatchEvent(
      new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }),
    );
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
}
