/** How and where a wallet's contract has confirmed a signature. Stored with the signature as JSON. */
export interface ContractEvidence {
  /** `erc6492`: the wallet was not deployed yet, or the signature says so. */
  method: 'eip1271' | 'erc6492';
  chainId: number;
  /** The block at which the contract was asked. */
  blockNumber: number;
  /** In hex, with 0x. */
  blockHash: string;
}
