import { Schema } from "effect"

/** A rule on one input was broken. `param` is the input's path. decisions, section 1. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  param: Schema.String,
  message: Schema.String
}) {}

/** The request itself is malformed in a way that belongs to no single value: an unknown filter, an undecodable number. */
export class MalformedInput extends Schema.TaggedError<MalformedInput>()("MalformedInput", {
  message: Schema.String
}) {}

/** There is no such record in the caller's organisation. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  record: Schema.String,
  id: Schema.String
}) {}

/** The record is archived and takes no change. decisions, section 1: Verbs. */
export class RecordArchived extends Schema.TaggedError<RecordArchived>()("RecordArchived", {
  record: Schema.String,
  id: Schema.String
}) {}

/** The record takes no payment, so nobody is led to its page. decisions, section 4: Recommendation sets. */
export class TakesNoPayment extends Schema.TaggedError<TakesNoPayment>()("TakesNoPayment", {
  record: Schema.String,
  id: Schema.String,
  status: Schema.String
}) {}

/** Another record of the organisation already has this value. */
export class AlreadyTaken extends Schema.TaggedError<AlreadyTaken>()("AlreadyTaken", {
  record: Schema.String,
  field: Schema.String,
  /** The id of the record that holds it. */
  holder_id: Schema.String
}) {}

/** What was derived from a key of the ring cannot be derived again: the key was removed. decisions, section 4: Server keys. */
export class KeyRetired extends Schema.TaggedError<KeyRetired>()("KeyRetired", {
  record: Schema.String,
  id: Schema.String
}) {}

/** A limit of the contract that is answered with 400. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  message: Schema.String
}) {}

/** The caller is known but may not do this: its key's scope or its organisation's plan forbids it. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  operation: Schema.String,
  message: Schema.String
}) {}
