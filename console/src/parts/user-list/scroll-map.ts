/**
 * Maps the scroll bar to the rows of a long list. Browsers limit an element to about 33 million pixels, so the scrolled
 * element is at most `highest` pixels high and represents a list that can be much higher. Small steps move the list as
 * far as the bar; a long step, such as a drag of the bar, goes to about the same fraction of the list. The bar's position
 * is then wrong and is corrected when it rests.
 *
 * All rows have one height, so a position is a multiplication. A virtualizer that stores the position of each row would
 * take 16 MB for a million rows.
 */

/** Well below the limit of browsers, and exact as a 32-bit float, which they position with. */
export const highest = 8_000_000

export type Scale = { total: number; rowHeight: number; viewHeight: number }
/** `top`: pixels of the list above the view. `bar`: the scrollTop of the element. */
export type Place = { top: number; bar: number }

function listHeight({ total, rowHeight }: Scale): number {
  return total * rowHeight
}

/** The height of the element that scrolls. */
export function barHeight(scale: Scale): number {
  return Math.min(listHeight(scale), highest)
}

export function lastTop(scale: Scale): number {
  return Math.max(0, listHeight(scale) - scale.viewHeight)
}

function lastBar(scale: Scale): number {
  return Math.max(0, barHeight(scale) - scale.viewHeight)
}

/** Within this many screens of either end the bar moves as far as the list, or it could stop before the list ends. */
const evenScreens = 20

function evenPart(scale: Scale): number {
  return Math.min(evenScreens * scale.viewHeight, lastBar(scale) / 4)
}

function barOf(top: number, scale: Scale): number {
  const [last, lastOfBar, even] = [lastTop(scale), lastBar(scale), evenPart(scale)]
  if (top <= even) return top
  if (last - top <= even) return lastOfBar - (last - top)
  return even + ((top - even) / (last - 2 * even)) * (lastOfBar - 2 * even)
}

function topOf(bar: number, scale: Scale): number {
  const [last, lastOfBar, even] = [lastTop(scale), lastBar(scale), evenPart(scale)]
  if (bar <= even) return bar
  if (lastOfBar - bar <= even) return last - (lastOfBar - bar)
  return even + ((bar - even) / (lastOfBar - 2 * even)) * (last - 2 * even)
}

/** Returns the bar's position for `top`, in whole pixels. The ends of the bar are the ends of the list. */
export function placeAt(top: number, scale: Scale): Place {
  const [last, lastOfBar] = [lastTop(scale), lastBar(scale)]
  const within = clamp(top, 0, last)
  if (last === lastOfBar) return { top: within, bar: within }
  const bar = Math.round(barOf(within, scale))
  if (bar <= 0) return { top: 0, bar: 0 }
  return bar >= lastOfBar - 1 ? { top: last, bar: lastOfBar } : { top: within, bar }
}

/** Returns the place after the bar has moved to `bar`. */
export function placeAfter(before: Place, bar: number, scale: Scale): Place {
  const [last, lastOfBar] = [lastTop(scale), lastBar(scale)]
  if (last === lastOfBar) return { top: clamp(bar, 0, last), bar }
  const step = bar - before.bar
  const isJump = Math.abs(step) > scale.viewHeight * 2
  const top = isJump ? topOf(bar, scale) : before.top + step
  return { top: clamp(top, 0, last), bar }
}

/**
 * Whether the bar has reached an end and the list has not, or the other way round: the bar must then be corrected at
 * once.
 */
export function isStuck({ top, bar }: Place, scale: Scale): boolean {
  const [last, lastOfBar] = [lastTop(scale), lastBar(scale)]
  if (last === lastOfBar) return false
  return bar <= 0 !== top <= 0 || bar >= lastOfBar - 1 !== top >= last - 1
}

/** Returns the rows that touch the view, and `spare` more on either side. `end` is exclusive. */
export function rowsInView(top: number, { total, rowHeight, viewHeight }: Scale, spare = 0) {
  const first = Math.floor(top / rowHeight)
  const end = Math.ceil((top + viewHeight) / rowHeight)
  return { start: clamp(first - spare, 0, total), end: clamp(end + spare, 0, total) }
}

/** Returns the nearest `top` at which the whole row is in view. */
export function topShowing(row: number, top: number, scale: Scale): number {
  const rowTop = row * scale.rowHeight
  const lowest = rowTop + scale.rowHeight - scale.viewHeight
  return clamp(clamp(top, lowest, rowTop), 0, lastTop(scale))
}

export function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
