/** The grounds of text in the accent colour: `--card` and `--ground` of login.css. */
export const lightGrounds = ['#ffffff', '#f6f7fa']
export const darkGrounds = ['#1a1e26', '#12151b']
