export {
  births,
  Command,
  Donation,
  DonationDetail,
  DonationRecord,
  listing,
  machine,
  NewDonation
} from "../domain/giving/Donation.ts"
