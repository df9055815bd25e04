"""Running code on arrays: conversion of arguments, batches in Python, results as arrays, threads."""
