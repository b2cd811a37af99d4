import { Cause, Schema } from "effect"

/**
 * A stored record cannot be read: a value in it is damaged, or of a later version. Stores die with it, so that whoever
 * works through many records can tell it from a store that is away. It names the fields and none of the values.
 */
export class UnreadableRecord extends Schema.TaggedError<UnreadableRecord>()("UnreadableRecord", {
  fields: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `A row does not read as a record. The fields at fault: ${this.fields.join(", ")}.`
  }
}

const isUnreadable = Schema.is(UnreadableRecord)

/** The unreadable record that a cause is about; undefined for any other cause. */
export const unreadableIn = (cause: Cause.Cause<unknown>): UnreadableRecord | undefined =>
  cause.reasons.flatMap((reason) =>
    Cause.isDieReason(reason) && isUnreadable(reason.defect) ? [reason.defect] : []
  )[0]
