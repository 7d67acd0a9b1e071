import type { Calls } from './operations.ts'
import type { CallOptions, ManagedChangeOptions } from './options.ts'
import type { Branding as BrandingOfProduct, BrandingPreview, PreviewBranding, SetBranding } from './types.ts'

/** The look of the sign-in pages, the pages behind links, the account page and messages. */
export class Branding {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Returns the branding. Members that are null have their default. */
  get(options: CallOptions = {}): Promise<BrandingOfProduct> {
    return this.#calls.call('GET /branding', options)
  }

  /**
   * Replaces the whole branding: a member that is left out gets its default.
   *
   * ```ts
   * import { etagOf } from '@rollbook/sdk/client'
   *
   * const before = await client.branding.get()
   * const after = await client.branding.replace({ ...before, accent_color: '#7a1f5c' }, { ifMatch: etagOf(before) })
   * console.log(after.accent_color) // #7a1f5c
   * ```
   */
  replace(body: SetBranding, { override, ...options }: ManagedChangeOptions = {}): Promise<BrandingOfProduct> {
    return this.#calls.call('PUT /branding', { ...options, query: { override }, body })
  }

  /** Returns the sign-in page and a message as they would be, and what would be stored. Changes nothing. */
  preview(body: PreviewBranding, options: CallOptions = {}): Promise<BrandingPreview> {
    return this.#calls.call('POST /branding/preview', { ...options, body })
  }
}
