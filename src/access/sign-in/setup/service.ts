/**
 * Creates the first administrator for the holder of a link that only the host shows. Leaves the link's token to link.ts,
 * checking and hashing the password to the route. Once there is an active administrator, nothing here has any effect.
 */

export { makeSetupLink } from './link.ts'
export { isOpen } from './setup.ts'
export { deleteLinks } from './store.ts'
