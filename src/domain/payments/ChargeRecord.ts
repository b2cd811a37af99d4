import { Schema, Struct } from "effect"
import { Charge, meanings } from "./Charge.ts"
import { Dispute } from "./Dispute.ts"

const notShown = ["organisation_id", "sealed_token", "link_claims", "look_at", "looks"] as const

/** A charge as staff see it: without what the donor pays with. */
export const ChargeRecord = Charge.mapFields(Struct.omit(notShown)).annotate({ identifier: "Charge", meanings })

/** A dispute as staff see it. */
export const DisputeRecord = Dispute.mapFields(Struct.omit(["organisation_id"])).annotate({ identifier: "Dispute" })

/** A charge with its disputes. */
export const ChargeDetail = ChargeRecord.mapFields((fields) => ({
  ...fields,
  disputes: Schema.Array(DisputeRecord)
})).annotate({ identifier: "ChargeDetail", meanings })
