export {
  births,
  Command,
  Donor,
  DonorPatch,
  DonorRecord,
  derivedColumns,
  listing,
  machine,
  NewDonor,
  SubmittedDonor
} from "../domain/giving/Donor.ts"
