type Offer = { value: string; quality: number; specificity: number }

/** The members of an `Accept` or `Accept-Encoding` header (RFC 9110 §12.4.2): values in lower case with their weights. */
function parse(header: string): Offer[] {
  return header.split(',').flatMap((member) => {
    const [value = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    if (value === '') return []
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    const quality = weight === undefined ? 1 : Number(weight.slice(2))
    const specificity = value === '*' || value === '*/*' ? 0 : value.endsWith('/*') ? 1 : 2
    return [{ value, quality: Number.isFinite(quality) ? quality : 0, specificity }]
  })
}

function covers(offer: Offer, choice: string): boolean {
  if (offer.specificity === 0) return true
  if (offer.specificity === 1) return choice.startsWith(offer.value.slice(0, -1))
  return offer.value === choice
}

/**
 * Returns the best of `choices` (in our order of preference) for a header, or undefined if the header refuses all.
 * The most specific member that covers a choice decides on it, so `*;q=0` refuses only what is not named.
 */
export function negotiate<T extends string>(header: string | undefined, choices: readonly T[]): T | undefined {
  const offers = parse(header ?? '')
  if (offers.length === 0) return choices[0]
  let best: { choice: T; quality: number } | undefined
  for (const choice of choices) {
    const offer = offers.filter((one) => covers(one, choice)).sort((a, b) => b.specificity - a.specificity)[0]
    if (offer !== undefined && offer.quality > 0 && offer.quality > (best?.quality ?? 0)) {
      best = { choice, quality: offer.quality }
    }
  }
  return best?.choice
}
