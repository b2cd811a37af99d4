import type { Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import type { GivingSandbox } from "../support/GivingSandbox.ts"
import type { Service } from "../support/Service.ts"
import type { Points } from "./Points.ts"

/** A gift that was submitted in a history: what the page sent, and what it got. */
export interface SubmittedGift {
  readonly submission: Submission
  /** None where the answer never came: the page was cut off. */
  readonly answer: SubmittedCheckout | null
}

export interface Form {
  readonly id: string
  readonly slug: string
  status: "ACTIVE" | "PAUSED" | "ARCHIVED"
}

export interface HistoryLink {
  readonly id: string
  readonly code: string
}

export interface StatementLine {
  readonly amount_cents: number
  /** The charge that it names; null where it names none. */
  readonly charge_id: string | null
}

/** What a history has come to, and what it is driven through. */
export interface World {
  readonly service: Service
  readonly points: Points
  readonly giving: GivingSandbox
  readonly forms: Array<Form>
  readonly gifts: Array<SubmittedGift>
  /** The checkout links, by which somebody may have given. */
  readonly links: Array<HistoryLink>
  /** What the account's statement has: lines by their text, each once, with the reference that it names. */
  readonly lines: Map<string, StatementLine>
  /** What was set aside, and booked as gifts of their own, minor units. */
  readonly booked: Array<number>
  /** Whether the account was ever one that takes no charges: a gift may have been refused then. */
  wasDisabled: boolean
}

/** Numbers by which an action picks among what is there. */
export interface Picks {
  readonly one: number
  readonly two: number
}

/** Something that happens in a history. */
export interface Action<W = World> {
  readonly name: string
  /** How often it is picked beside others; 1 when not given. */
  readonly weight?: number
  /** Whether there is what it needs; always when not given. What cannot be done is left out of the history. */
  readonly can?: (world: W) => boolean
  /** Does it, and answers what was done, for the script of the history. */
  readonly perform: (world: W, picks: Picks) => Promise<string>
}

/** The numbers by which is picked: from 0 to below this. */
export const pickBelow = 1_000

export const pick = <A>(all: ReadonlyArray<A>, by: number): A => {
  const found = all[all.length - 1 - (by % all.length)]
  if (found === undefined) throw new RangeError("Nothing to pick from")
  return found
}

/** The same among what has a history: the newest is picked most often, since little comes of one act on each of many. */
export const pickNew = <A>(newestFirst: ReadonlyArray<A>, by: number): A => {
  const found = newestFirst[Math.floor(newestFirst.length * ((by % pickBelow) / pickBelow) ** 3)]
  if (found === undefined) throw new RangeError("Nothing to pick from")
  return found
}
