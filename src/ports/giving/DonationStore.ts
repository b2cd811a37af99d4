import { Context } from "effect"
import type { Donation } from "../../domain/giving/Donation.ts"
import type { DonationId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"
import type { DonorReferences } from "./DonorReferences.ts"

/**
 * Keeps donations. Lists MUST leave out deleted ones. `revenue_code` MUST be read as the code that `revenue_code_id` names is
 * spelled now.
 */
export class DonationStore extends Context.Service<
  DonationStore,
  RecordStore<Donation, DonationId> & DonorReferences
>()("almoner/ports/DonationStore") {}
