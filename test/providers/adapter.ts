import { testAccountStatement, type PlayedStatement } from "./account-statement-port.ts";
import {
  testCardPort,
  testRemoteCards,
  testSettlementFacts,
  type PlayedCards,
  type RemoteCards,
} from "./card-port.ts";
import { testPixPort, testRemotePix, type PlayedPix, type RemotePix } from "./pix-port.ts";

/** What an adapter is played by, for each kind of payment that it takes. `isRemote`: it is reached over a network. */
export type AdapterPlays = {
  /** Absent: the adapter has no statement of an account. Each has a provider of its own. */
  readonly statement?: () => Promise<PlayedStatement>;
} & (
  | {
      readonly isRemote: true;
      readonly pix?: () => Promise<RemotePix>;
      readonly cards?: () => Promise<RemoteCards>;
    }
  | {
      readonly isRemote: false;
      readonly pix?: () => Promise<PlayedPix>;
      readonly cards?: () => Promise<PlayedCards>;
    }
);

/** The tests of the ports that an adapter implements. */
export async function testAdapter(name: string, start: () => Promise<AdapterPlays>): Promise<void> {
  const plays = await start();
  const { pix, cards } = plays;
  if (pix) testPixPort(name, pix);
  if (cards) testCardPort(name, cards);
  if (plays.isRemote) {
    if (plays.pix) testRemotePix(name, plays.pix);
    if (plays.cards) testRemoteCards(name, plays.cards);
  }
  if (plays.statement) testAccountStatement(name, plays.statement);
  if (cards && (await cards()).provider.settlementFacts) testSettlementFacts(name, cards);
}
