/** Signs a command line in through the browser of its user. Leaves the key to keys/, and the page to pages/. */
export { endAll, split, waits } from './cli-login.ts'
export { newSecret, pageHashOf, secretHashOf } from './codes.ts'
export { jobs } from './jobs.ts'
export { deleteAllLogins, findByPage, type LoginRow } from './store.ts'
