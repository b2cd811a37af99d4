export {
  LinkedOrganisation,
  LinkedOrganisationRecord,
  Organisation,
  OrganisationPatch,
  OwnOrganisation
} from "../domain/access/Organisation.ts"
