/** What other pages share with the sign-in page. */
export { actingIn } from './acting-bar.ts'
export { actingParts } from './acting-parts.ts'
export { pageWords } from './faults.ts'
export { type Frame, insteadOfProductPage, type Message, problemPage } from './pages.ts'
export { type PageNeeds, pageTools } from './tools.ts'
export { unknownPage } from './unknown-page.ts'
