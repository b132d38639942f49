/** A line of a list of people. */
export interface PersonLine {
  /** The number of the line in the list, from 1. A line that is added later has another number than all others. */
  line: number;
  /** Empty if the list does not say it. */
  name: string;
  /** An address or an e-mail, as it was written. */
  recipient: string;
  /** The e-mail of somebody who gets the badge at an address; empty if there is none. */
  email: string;
  /** The language of this person's mail, as it was written; empty or absent if the list does not say it. */
  language?: string;
}
