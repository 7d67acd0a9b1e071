import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Branding, PreviewBranding, SetBranding } from 'rollbook/client'
import { api } from '../api/client.ts'

export const brandingQuery = queryOptions({
  queryKey: ['branding', 'product'],
  queryFn: ({ signal }) => api.branding.get({ signal }),
  // A form is being filled in.
  refetchOnWindowFocus: false,
})

export const organizationBrandingQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['branding', 'of', organizationId],
    queryFn: ({ signal }) => api.organizations.getBranding(organizationId, { signal }),
    refetchOnWindowFocus: false,
  })

/** The last preview stays until the next one has arrived. */
export const brandingPreviewQuery = (wanted: PreviewBranding) =>
  queryOptions({
    queryKey: ['branding', 'preview', wanted],
    queryFn: ({ signal }) => api.branding.preview(wanted, { signal }),
    placeholderData: keepPreviousData,
    // Each has two logos.
    gcTime: 10_000,
    staleTime: Number.POSITIVE_INFINITY,
  })

export type BrandingValues = Record<keyof Omit<Branding, 'updated_at' | 'managed_by'>, string>

export const brandingFields = [
  'name',
  'logo',
  'logo_dark',
  'accent_color',
  'terms_url',
  'privacy_url',
  'support_url',
] as const satisfies (keyof BrandingValues)[]

/** Empty fields are members that are null. */
export function brandingValues(branding: Branding): BrandingValues {
  return Object.fromEntries(brandingFields.map((name) => [name, branding[name] ?? ''])) as BrandingValues
}

export function brandingBody(values: BrandingValues): SetBranding {
  return Object.fromEntries(
    brandingFields.map((name) => [name, values[name].trim() === '' ? null : values[name].trim()]),
  )
}
