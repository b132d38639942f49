import { getPriority, setPriority } from 'node:os';
import type { AttackOrder, Counts } from './attack.ts';
import { ATTACKS } from './attacks.ts';

// A process of its own, with a low priority, so that it does not take processor time from the service and the
// prober. argv[2]: an AttackOrder in JSON. Before the attack, this process sends an empty object, so that the
// parent knows that it has started. It attacks until it gets a message, then sends the counts and exits.

setPriority(Math.min(getPriority() + 10, 19));
const order: AttackOrder = JSON.parse(process.argv[2] ?? '');
const attack = ATTACKS.find(({ name }) => name === order.attack);
if (attack === undefined) throw new Error(`there is no attack ${order.attack}`);
const stopping = new AbortController();
process.once('message', () => stopping.abort());
process.once('disconnect', () => process.exit(1));
process.send?.({} satisfies Counts);
const counts = await attack.send(order, stopping.signal);
process.send?.(counts, () => process.exit(0));
