// What the page shows: JSON, in which arrays of numbers are places in one packed block of bytes.

const DATA = JSON.parse(document.getElementById("data").textContent);
{
  const packed = Uint8Array.from(atob(DATA.packed), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = await new Response(stream).arrayBuffer();
  const kinds = { f8: Float64Array, f4: Float32Array, i1: Int8Array, i2: Int16Array, u4: Uint32Array };
  const array = ([kind, first, count]) => new kinds[kind](bytes, first, count);
  for (const name of ["t", "q", "points", "forces"]) DATA[name] = array(DATA[name]);
  for (const curve of DATA.curves) curve.values = array(curve.values);
  for (const mesh of DATA.meshes) for (const name of ["points", "normals", "indices"]) mesh[name] = array(mesh[name]);
}
