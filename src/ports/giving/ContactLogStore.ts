import { Context } from "effect"
import type { ContactLog } from "../../domain/giving/ContactLog.ts"
import type { ContactLogId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"
import type { DonorReferences } from "./DonorReferences.ts"

/** Keeps contact logs. `find` and `list` MUST see no deleted one; `findForUpdate` MUST find one, too. */
export class ContactLogStore extends Context.Service<
  ContactLogStore,
  RecordStore<ContactLog, ContactLogId> & DonorReferences
>()("almoner/ports/ContactLogStore") {}
