// Tabs tell each other who is signed in. Only pages of this origin get these messages, and nothing is stored:
// whoever closes the last tab is forgotten.

/** What a tab that is signed in tells the others. */
interface SignIn {
  /** The API key, or the token of a session. */
  key: string;
}

type Message<T> =
  | { type: 'whoIsSignedIn' }
  | { type: 'signedIn'; signIn: T }
  | { type: 'signedOut'; key: string };

interface SharedSignInOptions<T> {
  /** Names the messages of these pages. */
  name: string;
  /** How this tab is signed in; null if it is not. */
  find(): T | null;
  /** Signs this tab in as another one is. */
  keep(signIn: T): void;
}

export interface SharedSignIn {
  /** How many tabs are signed in. Zero if the browser cannot say. */
  countTabs(): Promise<number>;
  /** Signs in as another tab is, if this tab is not signed in. Takes no time if no other tab is signed in. */
  signInAsOtherTab(): Promise<void>;
  /**
   * Answers tabs that ask who is signed in, until the returned function is called. Calls `onSignedOut` when
   * the person signs out in another tab.
   */
  share(key: string, onSignedOut: () => void): () => void;
  /** Signs out the other tabs that have this key. */
  signOutOtherTabs(key: string): void;
}

// A tab that is signed in answers at once, unless its page is busy.
const ANSWER_MS = 2_000;

export function createSharedSignIn<T extends SignIn>(options: SharedSignInOptions<T>): SharedSignIn {
  const { name, find, keep } = options;
  return { countTabs, signInAsOtherTab, share, signOutOtherTabs };

  async function countTabs(): Promise<number> {
    const { held = [] } = (await navigator.locks?.query().catch(() => null)) ?? {};
    return held.filter((lock) => lock.name === name).length;
  }

  async function signInAsOtherTab(): Promise<void> {
    if (find() !== null || (await countTabs()) === 0) return;
    const channel = new BroadcastChannel(name);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ANSWER_MS);
      channel.onmessage = ({ data }: MessageEvent<Message<T>>) => {
        if (data.type !== 'signedIn') return;
        clearTimeout(timer);
        keep(data.signIn);
        resolve();
      };
      channel.postMessage({ type: 'whoIsSignedIn' } satisfies Message<T>);
    });
    channel.close();
  }

  function share(key: string, onSignedOut: () => void): () => void {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }: MessageEvent<Message<T>>) => {
      const signIn = find();
      if (data.type === 'whoIsSignedIn' && signIn !== null) {
        channel.postMessage({ type: 'signedIn', signIn } satisfies Message<T>);
      } else if (data.type === 'signedOut' && data.key === key) {
        onSignedOut();
      }
    };
    const leaving = new AbortController();
    // Held until this tab is closed or signs out, so that a new tab knows whether somebody will answer.
    navigator.locks
      ?.request(name, { mode: 'shared', signal: leaving.signal }, () => waitForAbort(leaving.signal))
      .catch(() => {});
    return () => {
      leaving.abort();
      channel.close();
    };
  }

  function signOutOtherTabs(key: string): void {
    const channel = new BroadcastChannel(name);
    channel.postMessage({ type: 'signedOut', key } satisfies Message<T>);
    channel.close();
  }
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
