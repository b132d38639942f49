/** An address with the name that mail programs show. */
export interface Mailbox {
  name: string;
  address: string;
}
