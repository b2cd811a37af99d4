import { Schema } from "effect"

const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")

/** Sets how many frames an error's stack records, where the host lets that be set. */
export const recordFrames = (frames: number): void => {
  if (limit?.writable === true) Error.stackTraceLimit = frames
}

/** A refusal, with its reason as a sentence for people. Every failure of a use case is one. */
export class Rejection extends Schema.Error<Rejection>("Rejection")({ _tag: Schema.String }) {
  /**
   * Records no stack: its frames would be those of the fiber that decided, which help nobody and cost ten times as much
   * as the rest. Whoever hands a rejection to a host adds the frames of the host's call.
   */
  constructor(fields: { readonly _tag: string }, options?: Schema.MakeOptions) {
    const before = Error.stackTraceLimit
    recordFrames(0)
    try {
      super(fields, options)
    } finally {
      recordFrames(before)
    }
  }
}

/** A rule on one input was broken. `param` is the input's path. decisions, section 1. */
export class InvalidInput extends Rejection.extend<InvalidInput>("InvalidInput")({
  _tag: Schema.tag("InvalidInput"),
  param: Schema.String,
  message: Schema.String,
  /** The rule, where pages say it in words of their own: the law lets one donor give only so much. */
  reason: Schema.optionalKey(Schema.Literal("over_cap"))
}) {}

/** The request itself is malformed in a way that belongs to no single value: an unknown filter, an undecodable number. */
export class MalformedInput extends Rejection.extend<MalformedInput>("MalformedInput")({
  _tag: Schema.tag("MalformedInput"),
  message: Schema.String
}) {}

/** There is no such record in the caller's organisation. */
export class NotFound extends Rejection.extend<NotFound>("NotFound")({
  _tag: Schema.tag("NotFound"),
  record: Schema.String,
  id: Schema.String
}) {
  override get message(): string {
    return `There is no ${this.record} ${this.id}.`
  }
}

/** The record is archived, or has ended in another way, and takes no change. decisions, section 1: Verbs. */
export class RecordArchived extends Rejection.extend<RecordArchived>("RecordArchived")({
  _tag: Schema.tag("RecordArchived"),
  record: Schema.String,
  id: Schema.String,
  /** How it ended; archived when absent. */
  ending: Schema.optionalKey(Schema.Literals(["deleted", "disabled", "revoked"])),
  /** The advice to a caller, a sentence, where another record is not what helps. */
  instead: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const instead = this.instead ?? "That is final, and it takes no change: use another one, or make a new one."
    return `The ${this.record} ${this.id} is ${this.ending ?? "archived"}. ${instead}`
  }
}

/** The record takes no payment, so nobody is led to its page. decisions, section 4: Recommendation sets. */
export class TakesNoPayment extends Rejection.extend<TakesNoPayment>("TakesNoPayment")({
  _tag: Schema.tag("TakesNoPayment"),
  record: Schema.String,
  id: Schema.String,
  status: Schema.String,
  /** The advice to whoever wanted to pay, a sentence; absent where a link to it was to be made. */
  instead: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const begin = `The ${this.record} ${this.id} is ${this.status.toLowerCase()} and takes no payment`
    return this.instead === undefined
      ? `${begin}, so no link to it is made. Use one that is active.`
      : `${begin}. ${this.instead}`
  }
}

/** Another record of the organisation already has this value. */
export class AlreadyTaken extends Rejection.extend<AlreadyTaken>("AlreadyTaken")({
  _tag: Schema.tag("AlreadyTaken"),
  record: Schema.String,
  field: Schema.String,
  /** The id of the record that holds it. */
  holder_id: Schema.String
}) {
  override get message(): string {
    return `This ${this.field} is taken by another ${this.record}: ${this.holder_id}. Use that one, or give another ${this.field}.`
  }
}

/** A value cannot be derived again, because its key was removed from the ring. decisions, section 4: Server keys. */
export class KeyRetired extends Rejection.extend<KeyRetired>("KeyRetired")({
  _tag: Schema.tag("KeyRetired"),
  record: Schema.String,
  id: Schema.String
}) {
  override get message(): string {
    return `The server key that the ${this.record} ${this.id} was made with is no longer in use. Revoke it and make a new one.`
  }
}

/** A limit of the contract that is answered with 400. */
export class LimitReached extends Rejection.extend<LimitReached>("LimitReached")({
  _tag: Schema.tag("LimitReached"),
  message: Schema.String
}) {}

/** The caller is known but may not do this: its key's scope or its organisation's plan forbids it. */
export class Forbidden extends Rejection.extend<Forbidden>("Forbidden")({
  _tag: Schema.tag("Forbidden"),
  operation: Schema.String,
  message: Schema.String
}) {}
