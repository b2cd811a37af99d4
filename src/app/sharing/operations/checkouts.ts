import * as Checkout from "../../../domain/sharing/Checkout.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { Checkouts, takes } from "../Checkouts.ts"

const checkouts = operationsOf(Checkouts)

/** The operations of {@link Checkouts}, for whoever is on a page. */
export const checkoutOperations = {
  open: checkouts.forInstallation({
    says: "Show what the page of a form, checkout link or recommendation set shows, or why it takes no gift",
    takes: takes.open,
    gives: Checkout.Page,
    run: (use, target) => use.open(target)
  }),
  submit: checkouts.forInstallation({
    says: "Give through a form, a checkout link or a recommendation set, as a donor does on its page",
    takes: takes.submit,
    gives: Checkout.Submitted,
    run: (use, submission) => use.submit(submission)
  }),
  progress: checkouts.forInstallation({
    says: "Show how a submission is going",
    takes: takes.progress,
    gives: Checkout.Progress,
    run: (use, token) => use.progress(token)
  })
}
