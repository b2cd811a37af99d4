import { DonationFormRecord, listing } from "../../../domain/giving/DonationForm.ts"
import { DonationFormPatch, NewDonationForm } from "../../../domain/giving/FormSettings.ts"
import { DonationFormId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { DonationForms } from "../DonationForms.ts"

const forms = operationsOf(DonationForms)
const formId = id(DonationFormId, "donation form")

/** The operations of {@link DonationForms}. */
export const donationFormOperations = {
  create: forms.forCaller({
    name: "forms.create",
    takes: [body(NewDonationForm, DonationFormRecord)],
    gives: DonationFormRecord,
    run: (use, input) => use.create(input)
  }),
  read: forms.forCaller({
    name: "forms.read",
    takes: [formId],
    gives: DonationFormRecord,
    run: (use, form) => use.read(form)
  }),
  list: forms.forCaller({
    name: "forms.list",
    takes: [query(listing)],
    gives: pageOf(DonationFormRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: forms.forCaller({
    name: "forms.update",
    takes: [formId, body(DonationFormPatch, DonationFormRecord)],
    gives: DonationFormRecord,
    run: (use, form, patch) => use.update(form, patch)
  }),
  archive: forms.forCaller({
    name: "forms.archive",
    takes: [formId],
    gives: DonationFormRecord,
    run: (use, form) => use.archive(form)
  })
}
