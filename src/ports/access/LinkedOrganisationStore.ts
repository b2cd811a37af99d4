import { Context } from "effect"
import type { LinkedOrganisation } from "../../domain/access/Organisation.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { RecordReader } from "../kernel/RecordStore.ts"

/** Reads the organisations that an organisation has active links to, each with the ids of these links, oldest first. */
export class LinkedOrganisationStore extends Context.Service<
  LinkedOrganisationStore,
  RecordReader<LinkedOrganisation, OrganisationId>
>()("almoner/ports/LinkedOrganisationStore") {}
