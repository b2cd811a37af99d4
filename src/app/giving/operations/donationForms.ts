import { DonationFormRecord } from "../../../domain/giving/DonationForm.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, DonationForms, takes } from "../DonationForms.ts"

const forms = operationsOf(DonationForms)
/** The operations of {@link DonationForms}. */
export const donationFormOperations = {
  create: forms.forCaller({
    asks: asks.create,
    keyed: true,
    takes: takes.create,
    gives: DonationFormRecord,
    run: (use, input) => use.create(input)
  }),
  read: forms.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: DonationFormRecord,
    run: (use, form) => use.read(form)
  }),
  list: forms.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(DonationFormRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: forms.forCaller({
    asks: asks.update,
    keyed: true,
    takes: takes.update,
    gives: DonationFormRecord,
    run: (use, form, patch) => use.update(form, patch)
  }),
  archive: forms.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: takes.archive,
    gives: DonationFormRecord,
    run: (use, form) => use.archive(form)
  })
}
