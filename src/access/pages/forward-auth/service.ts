/** What a proxy learns of a request, and what it passes on. */
export { refuseForeignSocket } from './foreign-socket.ts'
export { isPlain } from './header-names.ts'
export { identityHeaders } from './identity.ts'
export { supportAllMethods } from './methods.ts'
export { isPreflight } from './preflight.ts'
export { isForPage, pageAgainst } from './sign-in-page.ts'
