/** The look of pages and messages. */
export { brandSource } from './brand.ts'
