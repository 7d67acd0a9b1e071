/** A logo, from the data URL (RFC 2397) that a caller sends to the one that is stored. */
import { mostLogoBytes } from '../../../../core/logo-file.ts'
import { LogoFault, malformed } from './fault.ts'
import { cleanPng, isPng } from './png.ts'
import { cleanSvg } from './svg.ts'

export type LogoType = 'image/svg+xml' | 'image/png'
export type Logo = {
  type: LogoType
  content: Buffer
  width: number
  height: number
  /** See CleanSvg; empty for a PNG. */
  leftOut: readonly string[]
}

/** In percent-encoding each byte takes three characters. */
export const mostUrlCharacters = 3 * mostLogoBytes + 256

/** Of a body: two logos, and the rest. */
export const bodyLimit = 2 * mostUrlCharacters + 16_384

const start = /^data:(image\/png|image\/svg\+xml)((?:;(?:charset=)?["']?utf-?8["']?)?)(;base64)?,/i

/** @throws LogoFault */
export async function cleanLogo(dataUrl: string): Promise<Logo> {
  const [prefix, type, , isBase64] = start.exec(dataUrl.slice(0, 100)) ?? []
  if (prefix === undefined || type === undefined) {
    throw new LogoFault(
      'logo_type',
      'A logo is a data URL of an SVG or a PNG: data:image/svg+xml;base64,… or data:image/png;base64,…',
    )
  }
  const data = dataUrl.slice(prefix.length)
  const bytes = isBase64 === undefined ? decodedPercent(data) : decodedBase64(data)
  if (bytes.length > mostLogoBytes) throw tooLarge()
  if (type.toLowerCase() === 'image/png') {
    const { content, width, height } = await cleanPng(bytes)
    return { type: 'image/png', content, width, height, leftOut: [] }
  }
  if (isPng(bytes)) throw new LogoFault('logo_type', 'The file is a PNG, but the data URL calls it an SVG.')
  const { text, width, height, leftOut } = cleanSvg(textOf(bytes))
  const content = Buffer.from(text)
  if (content.length > mostLogoBytes) throw tooLarge()
  return { type: 'image/svg+xml', content, width, height, leftOut }
}

export function toDataUrl({ type, content }: Pick<Logo, 'type' | 'content'>): string {
  return `data:${type};base64,${content.toString('base64')}`
}

function tooLarge(): LogoFault {
  return new LogoFault('logo_too_large', `The logo is larger than ${mostLogoBytes / 1024} KiB.`)
}

function decodedBase64(data: string): Buffer {
  if (data.length % 4 === 1 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
    throw malformed('The data URL of the logo is not valid base64.')
  return Buffer.from(data, 'base64')
}

function decodedPercent(data: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(data))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw malformed('The data URL of the logo is not valid.')
  }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw malformed('The SVG is not valid UTF-8.')
  }
}
