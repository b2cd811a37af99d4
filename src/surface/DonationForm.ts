export { births, Command, DonationForm, DonationFormRecord, listing, machine } from "../domain/giving/DonationForm.ts"
