/** Validates a branding beyond its JSON Schema, and cleans its logos. Runs before the change: a logo takes milliseconds. */
import { type InputFault, memberFault, validationFailed } from '../../../core/errors.ts'
import { contrastOn, leastContrast, readableOn } from '../../../lib/contrast.ts'
import { plainMailAddress } from '../../../lib/mail-address.ts'
import { trimEnds } from '../../../lib/typed-name.ts'
import { hasUnseen, unseenRefused } from '../../../lib/unseen.ts'
import type { Stored } from './branding.ts'
import { lightGrounds } from './grounds.ts'
import { LogoFault } from './images/fault.ts'
import { cleanLogo, toDataUrl } from './images/logo.ts'
import type { BrandingPreview, SetBranding } from './schema.ts'

type LogoMember = 'logo' | 'logo_dark'
export type Checked = Pick<BrandingPreview, 'left_out' | 'contrast'> & { stored: Stored }

/**
 * @param doesPropose whether an accent colour with too little contrast is replaced instead of refused
 * @throws AppError `validation_failed` with every fault found
 */
export async function checkBranding(input: SetBranding, { doesPropose = false } = {}): Promise<Checked> {
  const faults: InputFault[] = []
  const leftOut: BrandingPreview['left_out'] = []
  const logo = await logoOf('logo', input, { faults, leftOut })
  const logoDark = await logoOf('logo_dark', input, { faults, leftOut })
  const accent = input.accent_color?.toLowerCase() ?? null
  const contrast = accent === null ? null : contrastOn(lightGrounds, accent)
  const readable = accent === null ? null : readableOn(lightGrounds, accent)
  if (accent !== readable && !doesPropose) faults.push(lowContrast(accent ?? '', contrast ?? 0, readable ?? ''))
  const stored: Stored = {
    name: nameOf(input.name ?? null, faults),
    logo: logo?.url ?? null,
    logo_dark: logoDark?.url ?? null,
    accent_color: readable,
    terms_url: urlOf('terms_url', input, faults),
    privacy_url: urlOf('privacy_url', input, faults),
    support_url: urlOf('support_url', input, faults),
    sizes: { ...(logo && { logo: logo.size }), ...(logoDark && { logo_dark: logoDark.size }) },
  }
  if (faults.length > 0) throw validationFailed(faults)
  return { stored, left_out: leftOut, contrast: contrast === null ? null : rounded(contrast) }
}

/** Down: 4.499 is not enough. */
const rounded = (contrast: number) => Math.floor(contrast * 100) / 100

function lowContrast(accent: string, contrast: number, readable: string): InputFault {
  const detail = `${accent} has a contrast of ${rounded(contrast)}:1 with the light pages, which is less than ${leastContrast}:1. The nearest colour that has enough is ${readable}.`
  return memberFault('accent_color', 'contrast_too_low', detail)
}

async function logoOf(
  member: LogoMember,
  input: SetBranding,
  { faults, leftOut }: { faults: InputFault[]; leftOut: BrandingPreview['left_out'] },
) {
  const dataUrl = input[member] ?? null
  if (dataUrl === null) return undefined
  try {
    const logo = await cleanLogo(dataUrl)
    if (logo.leftOut.length > 0) leftOut.push({ member, names: [...logo.leftOut] })
    return { url: toDataUrl(logo), size: [logo.width, logo.height] as const }
  } catch (error) {
    if (!(error instanceof LogoFault)) throw error
    faults.push(memberFault(member, error.code, error.message))
    return undefined
  }
}

function nameOf(typed: string | null, faults: InputFault[]): string | null {
  if (typed === null) return null
  const name = trimEnds(typed)
  if (hasUnseen(name)) faults.push(memberFault('name', 'control_character', unseenRefused))
  else if (name === '') faults.push(memberFault('name', 'blank', 'The name is blank.'))
  return name
}

function urlOf(
  member: 'terms_url' | 'privacy_url' | 'support_url',
  input: SetBranding,
  faults: InputFault[],
): string | null {
  const typed = input[member] ?? null
  if (typed === null) return null
  const url = URL.parse(typed)
  const isWeb = url?.protocol === 'https:' && url.username === '' && url.password === ''
  const isMail = member === 'support_url' && url?.protocol === 'mailto:' && plainMailAddress(url.pathname) !== undefined
  if (url !== null && !hasUnseen(typed) && (isWeb || (isMail && url.search === '' && url.hash === ''))) return url.href
  const expected = member === 'support_url' ? 'an https URL, or mailto: with one address' : 'an https URL'
  faults.push(memberFault(member, 'url_invalid', `Expected: ${expected}.`))
  return null
}
