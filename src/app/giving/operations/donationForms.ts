import { DonationFormRecord, listing } from "../../../domain/giving/DonationForm.ts"
import { DonationFormPatch, NewDonationForm } from "../../../domain/giving/FormSettings.ts"
import { DonationFormId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, DonationForms } from "../DonationForms.ts"

const forms = operationsOf(DonationForms)
const formId = id(DonationFormId, "donation form")

/** The operations of {@link DonationForms}. */
export const donationFormOperations = {
  create: forms.forCaller({
    asks: asks.create,
    keyed: true,
    takes: [body(NewDonationForm, DonationFormRecord)],
    gives: DonationFormRecord,
    run: (use, input) => use.create(input)
  }),
  read: forms.forCaller({
    asks: asks.read,
    takes: [formId],
    gives: DonationFormRecord,
    run: (use, form) => use.read(form)
  }),
  list: forms.forCaller({
    asks: asks.list,
    takes: [query(listing)],
    gives: pageOf(DonationFormRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: forms.forCaller({
    asks: asks.update,
    keyed: true,
    takes: [formId, body(DonationFormPatch, DonationFormRecord)],
    gives: DonationFormRecord,
    run: (use, form, patch) => use.update(form, patch)
  }),
  archive: forms.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: [formId],
    gives: DonationFormRecord,
    run: (use, form) => use.archive(form)
  })
}
