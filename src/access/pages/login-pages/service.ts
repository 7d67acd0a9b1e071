/** What other pages share with the sign-in page. */

export { actingParts } from './acting-parts.ts'
export { assetsFolder } from './assets.ts'
export { type CompanyNeeds, setupTester, startCompanySignIn } from './company.ts'
export { pageWords } from './faults.ts'
export { privately } from './links.ts'
export { problemsAsPages } from './problems.ts'
export { offersByMail } from './sign-in-form.ts'
export {
  type Form,
  form,
  formOf,
  hidden,
  isHalf,
  keepLanguages,
  mayReadFor,
  type OfPage,
  type PageNeeds,
  type PageTools,
  pageTools,
  queryOf,
} from './tools.ts'
export { unknownPage } from './unknown-page.ts'
export { actingIn } from './views/acting-bar.ts'
export { claimsTable, explainedIn } from './views/company-pages.ts'
export { lookOf, servedFrom } from './views/look.ts'
export {
  copyParts,
  describedBy,
  type Frame,
  faultAt,
  hiddenReturnTo,
  insteadOfProductPage,
  type Message,
  type Page,
  page,
  problemPage,
  signInPage,
  signOutForm,
  withReturnTo,
} from './views/pages.ts'
