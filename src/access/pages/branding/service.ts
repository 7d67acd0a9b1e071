/** The look of pages and messages: as it is stored and replaced, and ready to be shown. */
export { brandSource } from './brand.ts'
export { findStored, recordable, replace, type Stored, unset } from './branding.ts'
export { checkBranding } from './input.ts'
