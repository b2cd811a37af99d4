import { Context } from "effect"
import type { CheckoutLink } from "../../domain/giving/CheckoutLink.ts"
import type { CheckoutLinkId } from "../../domain/kernel/Ids.ts"
import type { FindExpirable } from "../kernel/Expirable.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"
import type { DonorReferences } from "./DonorReferences.ts"

/** Keeps checkout links. `revenue_code` MUST be read as the code that `revenue_code_id` names is spelled now. */
export class CheckoutLinkStore extends Context.Service<
  CheckoutLinkStore,
  RecordStore<CheckoutLink, CheckoutLinkId> &
    DonorReferences & {
      /**
       * Links of all organisations, archived ones too, that `CheckoutLink.ranOut` holds for at `now`, the earliest to run
       * out first, without those of the ids in `except`. MUST find them whether or not they can be read.
       */
      readonly expirable: FindExpirable
    }
>()("almoner/ports/CheckoutLinkStore") {}
