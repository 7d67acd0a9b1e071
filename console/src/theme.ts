import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The blue of the sign-in page and the docs page. White text on the sixth keeps the contrast of WCAG 2 AA. */
const rollbook: MantineColorsTuple = [
  '#eef4fd',
  '#dae6f8',
  '#b3cbf0',
  '#8ab0e9',
  '#6899e3',
  '#3b78cf',
  '#1f5fbf',
  '#174a97',
  '#133c7a',
  '#0c2a58',
]

/** The greys of the dark scheme, as app.css has them: fields and menus lie on the cards without a seam. */
const dark: MantineColorsTuple = [
  '#e8ebf1',
  '#c6ccd8',
  '#a3adbe',
  '#7c8799',
  '#465063',
  '#323946',
  '#20252f',
  '#1a1e26',
  '#14181f',
  '#12151b',
]

export const theme = createTheme({
  primaryColor: 'rollbook',
  primaryShade: { light: 6, dark: 6 },
  colors: { rollbook, dark },
  fontFamily: "'Inter Variable', system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace",
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '650' },
})
